// SPDX-License-Identifier: Apache-2.0
//
// The `training` object of a run file.
//
// Absent: micro_batch 1; precision bf16, or fp16, or fp32, the first the device has; states the
// framework's (fp32-adam-16 in fp32 and tf32; sgd where optimizer is sgd); flash_attention true.
// `states` is a name or {"weights", "gradients", "optimizer"} in bytes a parameter, with "reduced"
// and "gathered" on the wire, "unsaved" by checkpoints. Errors: InputError.
#pragma once

#include <string>
#include <vector>

#include "core/json_reader.h"
#include "estimate/run.h"
#include "parallel/strategy_json.h"

namespace orrery {

struct ResolvedTraining {
  Training training;
  std::int64_t micro_batch = 1;
  std::string states_name;  // "" for one given in the run
  std::string optimizer;
  std::vector<Assumed> assumed;
};

// Names of the recipes a framework trains by, where the run says none.
struct FrameworkStates {
  std::string usual;
  std::string in_fp16;
};

ResolvedTraining read_training(Reader training, const Device& device,
                               const FrameworkStates& framework_states);

}  // namespace orrery
