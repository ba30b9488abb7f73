// SPDX-License-Identifier: Apache-2.0
#include "rl/packing.h"

#include <algorithm>
#include <cmath>

#include "core/divide.h"

namespace orrery {

double tokens_of_fullest_replica(double sequences, double mean, double longest, double replicas) {
  return std::max(sequences * mean / replicas, longest);
}

std::int64_t micro_batches_for(double tokens, double most) {
  constexpr double kRounding = 1e-9;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(tokens / most - kRounding)));
}

Run with_packs_of(const Run& learner, double tokens) {
  Run run = learner;
  // Each rank of tp and cp has a part, two under a ring.
  const std::int64_t parts = 2 * run.strategy.cp * run.strategy.tp;
  const auto whole = static_cast<std::int64_t>(std::ceil(tokens));
  run.training.sequence = std::min(learner.training.sequence, rounded_up(whole, parts));
  return run;
}

}  // namespace orrery
