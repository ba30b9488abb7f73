// SPDX-License-Identifier: Apache-2.0
//
// Whether what is wrong with a run is its strategy or batch breaking a rule, which is an answer for
// one of many points, or anything else, which is a fault of the input.
#pragma once

#include <string>

#include "core/error.h"

namespace orrery {

// A misspelt key is no broken rule.
inline bool breaks_a_rule(const InputError& e) {
  const std::string& path = e.path();
  const bool of_rules = path.rfind("parallel", 0) == 0 || path == "training.global_batch" ||
                        path == "training.micro_batch" || path == "search.axes";
  return of_rules && std::string(e.what()).find("found an unknown key") == std::string::npos;
}

}  // namespace orrery
