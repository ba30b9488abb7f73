// SPDX-License-Identifier: Apache-2.0
#include "rl/packing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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
  // Each rank of tp and cp has a part, two under a ring, of whole rows of 64: a mean is no shape of
  // its own, whose products would be priced as misaligned.
  constexpr std::int64_t kRows = 64;
  const std::int64_t parts = run.strategy.cp * std::lcm(kRows, 2 * run.strategy.tp);
  const auto whole = static_cast<std::int64_t>(std::ceil(tokens));
  run.training.sequence = std::min(learner.training.sequence, rounded_up(whole, parts));
  return run;
}

}  // namespace orrery
