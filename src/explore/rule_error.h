// SPDX-License-Identifier: Apache-2.0
//
// Separates a strategy, a batch, or a training that its device or model does not take, an answer
// for one of many points, from any other error, a fault of the input.
#pragma once

#include <string>

#include "core/error.h"

namespace orrery {

// A misspelt key is no broken rule.
inline bool breaks_a_rule(const InputError& e) {
  const std::string& path = e.path();
  const bool of_rules = path.rfind("parallel", 0) == 0 || path == "training.global_batch" ||
                        path == "training.micro_batch" || path == "search.axes";
  if (e.code() == ErrorCode::broken_rule) return true;
  return of_rules && e.code() != ErrorCode::unknown_key;
}

}  // namespace orrery
