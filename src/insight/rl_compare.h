// SPDX-License-Identifier: Apache-2.0
//
// Steps of reinforcement learning side by side: the numbers that differ, largest effect on the step
// first, the keys that differ, and what each does alone to the first run. Effects of several keys
// need not add up. Errors: none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/json_fwd.h"
#include "insight/rl_numbers.h"
#include "insight/rl_report.h"

namespace orrery {

struct NamedRlRun {
  std::string name;
  KeptJson run;
  RlReport report;
};

struct RlChangedNumber {
  const RlNumber* number = nullptr;
  std::vector<double> values;  // by run
};

struct RlChangedKey {
  std::size_t run = 0;  // the one that it is taken from
  Setting setting;
  std::string from;               // "" where the first run lacks it
  std::optional<Seconds> step{};  // of the first run with this key alone
  bool fits = true;
  std::string why_not{};
};

struct RlComparison {
  std::vector<NamedRlRun> runs;
  std::vector<RlChangedNumber> numbers;  // that differ
  std::vector<RlChangedKey> keys;        // by run, largest effect first
};

RlComparison compare_rl(std::vector<NamedRlRun> runs, const ConfigLookup& lookup);

}  // namespace orrery
