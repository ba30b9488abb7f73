// SPDX-License-Identifier: Apache-2.0
//
// The tally: what became of the candidates that a worker, a process or a whole search has judged.
// A plain value. Tallies of disjoint work items add up, in any order, to the tally of all.
//
// Invariant, once every waiting candidate is estimated or dropped: each of `candidates` stands in
// exactly one of `rejected`, `refused`, `infeasible`, `too_risky` and `feasible`. `best` is sorted
// by is_before() and no longer than what was asked for.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "explore/candidate.h"
#include "explore/contenders.h"
#include "explore/sharding_tally.h"
#include "parallel/rules.h"

namespace orrery {

struct SearchTally {
  std::int64_t candidates = 0;
  std::array<std::int64_t, kRules + 1> rejected{};
  std::vector<std::int64_t> refused;  // by constraint
  std::int64_t infeasible = 0;
  std::int64_t too_risky = 0;
  std::int64_t feasible = 0;
  std::vector<Candidate> best;  // at most `top`, in order
  Candidate nearest;            // of those that do not fit
  Contenders contenders;
  // Estimated because nothing bounds them, and no longer in that list.
  std::int64_t unbounded = 0;
  std::int64_t unbounded_refused = 0;  // of them, which `refused` counts already
  std::vector<FamilyTally> families;
};

void add(SearchTally& to, const SearchTally& from);

// Inserts an estimated candidate into `best`, of which `top` are kept.
void add_to_best(SearchTally& tally, const Candidate& c, std::size_t top);

}  // namespace orrery
