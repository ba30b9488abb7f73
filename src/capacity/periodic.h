// SPDX-License-Identifier: Apache-2.0
//
// A what-if of time: data parallelism that synchronises every H steps in place of every one, as
// local SGD and DiLoCo (arXiv:2311.08105) do.
//
// What data parallelism leaves exposed in a step then comes once in H steps; all else is as it is.
// Whether the model converges as well, or takes other hyperparameters or memory for an outer
// optimizer, is out of scope.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "capacity/outcome.h"
#include "capacity/training_time.h"

namespace orrery {

inline constexpr std::array<std::int64_t, 4> kSyncEvery = {8, 32, 128, 512};

struct PeriodicSync {
  std::int64_t every = 1;
  Seconds wall{};
};

std::vector<PeriodicSync> periodic_syncs(const OutcomeInputs& in, const TrainingTime& t);

}  // namespace orrery
