// SPDX-License-Identifier: Apache-2.0
//
// Measured times from the files of other tools, recognised by their beginning:
//
// - JSON: `orrery calibrate measure`'s own, {"device", "date", …, "measurements": [{…}]}; a curve
//   of a collective, {"source", "collective", "node", "ranks", "size_mib": […], "time_us": […]};
// - SimuMax's system files: JSON whose tables of efficiency are keyed by the text of a shape;
// - nccl-tests' and rccl-tests' output;
// - PyTorch profiler's trace (Kineto's JSON): products, attention, collectives, copies;
// - PyTorch profiler's table, `key_averages(group_by_input_shape=True).table()`: its products;
// - Nsight Systems' report cuda_gpu_trace as CSV: its copies;
// - CSV with a header: m,n,k,dtype,us and its kin (exchange/measurements/fields.h).
//
// Leaves out Nsight Systems' kernels, which have names but no shapes.
// Errors: InputError with file, line or path, found and allowed; also if times fall with size
// (calibrate/measurement.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/measurement.h"

namespace orrery {

// Facts about a file that the user gives because the file lacks them.
struct MeasurementHints {
  std::optional<Collective> collective;  // of nccl-tests' output
  std::optional<Precision> precision;    // of PyTorch profiler's table
};

MeasurementSet read_measurements(std::string_view text, const std::string& file,
                                 const MeasurementHints& hints = {});

std::vector<std::string> measurement_formats();

}  // namespace orrery
