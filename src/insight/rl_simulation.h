// SPDX-License-Identifier: Apache-2.0
//
// A run with training.rl, some steps of it played, and who waits how long. Errors: none.
#pragma once

#include <vector>

#include "insight/rl_report.h"
#include "rl/played_steps.h"

namespace orrery {

inline constexpr std::int64_t kStepsPlayed = 16;
inline constexpr std::int64_t kMostStepsPlayed = 10'000;

struct RlSimulation {
  RlReport report;
  PlayedSteps played;
  std::vector<double> idle;  // by group, of the time between its first and last phase
};

RlSimulation rl_simulation(RlReport report, std::int64_t steps, std::uint64_t seed);

}  // namespace orrery
