// SPDX-License-Identifier: Apache-2.0
//
// The best strategies of a space, and how many there were and what became of them.
//
// Exhaustive: every candidate is judged by the rules, then by its memory, then by a lower bound on
// its step (answer_least), and what is left is estimated in full. The bound drops a candidate
// only where it cannot be among the `top` best, nor in the tie band of the winner, nor the best of
// one of its families (all candidates with tp 4, all with ZeRO 3, …), nor on the Pareto front, so
// nothing that is reported depends on it. All counts follow from the space alone: not from the
// order of work, nor the number of workers. `pruned` counts those whose bound lies above what the
// final answer lets in, also where they happened to be estimated early. Order of the answer:
// objective (the step time, if nothing else is asked), then peak memory, then place in the space.
// For another objective, and for the aims of the Pareto front, interval arithmetic turns the bound
// on the step into a bound on them (conditions.h); if that fails, every candidate that fits is
// estimated. Constraints on strategy and memory are counted for all candidates, those on the answer
// where the bound breaks them and among the estimated. candidates = Σ rejected + infeasible +
// too_risky + Σ refused + pruned + estimated. Nothing here starts a thread: `parallel` does, nor a
// process: `team` is told.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "estimate/estimate.h"
#include "explore/candidate.h"
#include "explore/conditions.h"
#include "explore/families.h"
#include "explore/points.h"
#include "explore/search_options.h"
#include "parallel/rules.h"
#include "parallel/strategy.h"

namespace orrery {

struct Space;

// One candidate that was estimated, or the memory of one that does not fit.
struct Found {
  Place place;
  Strategy strategy;
  Seconds step_time{};
  double objective = 0;
  AimValues aims{};  // of one on the front; less is better
  Bytes peak{};
};

// All candidates that share one value of one axis.
struct Family {
  std::size_t axis = 0;    // a SearchAxis, or kSearchAxes and the number of an outer axis
  std::int64_t value = 0;  // as value_at() has it; of an outer axis, which of its values
  std::int64_t candidates = 0;
  std::int64_t legal = 0;
  std::int64_t feasible = 0;
  std::array<std::int64_t, kRules + 1> rejected{};  // by RuleId
  Found best;                                       // fastest; unit −1 where none fits
  Found nearest;  // least memory, where none fits; unit −1 where none is legal
};

struct SearchAnswer {
  // Sets of degrees that were searched to their end, and all: fewer where the search was stopped.
  std::int64_t searched = 0;
  std::int64_t to_search = 0;
  std::int64_t candidates = 0;
  std::array<std::int64_t, kRules + 1> rejected{};  // by RuleId
  std::vector<std::int64_t> refused;                // by constraint
  std::int64_t infeasible = 0;                      // by memory
  std::int64_t too_risky = 0;  // fit as predicted, but not as surely as asked (estimate/risk.h)
  std::int64_t pruned = 0;
  std::int64_t estimated = 0;
  std::int64_t ties = 0;  // in the tie band, the winner included
  double tie = 1;         // the factor
  std::vector<Found> best;
  Found recommended;  // of those within the band of the best (recommend.h)
  Found nearest;      // where nothing fits, the one that needs least memory over what there is
  std::vector<Found> front;      // by the first aim, then the next
  std::vector<Family> families;  // by axis and value
  std::vector<Family> pairs;     // by AxisPair::code of their values; `axis` says nothing
};

// In a team only the leader has the answer.
SearchAnswer search(const Space& space, const SearchOptions& options);

}  // namespace orrery
