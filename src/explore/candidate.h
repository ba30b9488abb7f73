// SPDX-License-Identifier: Apache-2.0
//
// The data that a search keeps of a candidate, and the order of two candidates.
#pragma once

#include <array>

#include "explore/conditions.h"
#include "explore/points.h"

namespace orrery {

// By aim of the Pareto front; less is better.
using AimValues = std::array<double, kMostAims>;

struct Candidate {
  std::int64_t unit = -1;
  Point point;
  double bound = 0;      // the objective is no less
  double objective = 0;  // less is better
  AimValues aims{};      // no less than these, once estimated these
  Seconds step{};
  std::int32_t refused_by = -1;  // a constraint on the answer
  std::int8_t fit_rank = 0;      // of one that was estimated: how surely it fits (recommend.h)
  Bytes peak{};
};

// The better objective first, then the smaller peak, then the earlier place in the space.
bool is_before(const Candidate& a, const Candidate& b);
bool needs_less(const Candidate& a, const Candidate& b);

}  // namespace orrery
