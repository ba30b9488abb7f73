// SPDX-License-Identifier: Apache-2.0
//
// Files around a training's own: the command that a manifest of Kubernetes (Job, PyTorchJob,
// MPIJob, JobSet, TrainJob, RayJob), a task of SkyPilot, a service of Docker Compose or a README
// holds, as the script it is; the settings that a config.yaml of Weights & Biases wraps; the calls
// of a Python script or a notebook (exchange/python_calls.h), and the values of a configuration in
// Python (exchange/python_values.h).
//
// GPUs are counted where the wrapper says them: replicas × GPUs of a pod, nodes × accelerators.
// Leaves out templates ({{ … }}), which only their tool fills in. Errors: InputError of YAML.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exchange/foreign_file.h"
#include "exchange/settings.h"

namespace orrery {

struct Unwrapped {
  ForeignFile file;         // what stands inside, under the wrapper's name
  std::int64_t gpus = 0;    // of the whole job; 0: it does not say
  std::string device = {};  // as the wrapper names it: "H100"
};

// Nothing for a file that wraps none. `arguments`: of the command that starts a Python program;
// nullptr where none is known.
std::optional<Unwrapped> unwrapped(const ForeignFile& file, const Settings* arguments = nullptr);

}  // namespace orrery
