// SPDX-License-Identifier: Apache-2.0
//
// The `training` object of a run file, and what it means on a device under a framework.
//
// Absent: micro_batch 1; precision bf16, or fp16, or fp32, the first the device has; states the
// framework's (fp32-adam-16 in fp32 and tf32); flash_attention true. SGD has one of the two
// moments. Errors: InputError.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/json_reader.h"
#include "estimate/training_keys.h"
#include "parallel/strategy_json.h"

namespace orrery {

struct ResolvedTraining {
  Training training;
  TrainingRequest request;  // as resolved: nothing is open but tokens
  std::vector<Fact> assumed;
};

// Choices of a framework where the run does not say: names of recipes, kernels of attention.
struct FrameworkStates {
  std::string default_value;
  std::string in_fp16;
  std::string name = {};  // of the framework
  std::span<const AttentionKernel> attention = kAllOf<AttentionKernel>;
};

ResolvedTraining resolve_training(const TrainingRequest& request, const Device& device,
                                  const FrameworkStates& framework_states, const std::string& file);

}  // namespace orrery
