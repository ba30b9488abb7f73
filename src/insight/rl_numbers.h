// SPDX-License-Identifier: Apache-2.0
//
// The numbers of a step of reinforcement learning by their keys: one table for CSV, sweeps and
// comparisons. A key is the number's path in the JSON of an estimate. Errors: none.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rl/step.h"

namespace orrery {

enum class RlNumberKind : std::uint8_t { step, phase, wait, generation, memory };

struct RlNumber {
  std::string key;
  RlNumberKind kind = RlNumberKind::step;
  bool is_time = false;  // seconds, else GiB, tokens or a count
  std::function<double(const RlRun&, const RlStep&)> value;
};

// Times where the answers cannot be played are zero.
const std::vector<RlNumber>& rl_numbers();

}  // namespace orrery
