// SPDX-License-Identifier: Apache-2.0
#include "explore/search_tally.h"

#include <algorithm>

namespace orrery {
namespace {

void add(FamilyTally& to, const FamilyTally& from) {
  to.candidates += from.candidates;
  to.legal += from.legal;
  to.feasible += from.feasible;
  for (std::size_t r = 0; r <= kRules; ++r) to.rejected[r] += from.rejected[r];
  if (is_before(from.best, to.best)) to.best = from.best;
  if (needs_less(from.nearest, to.nearest)) to.nearest = from.nearest;
}

}  // namespace

void add(SearchTally& to, const SearchTally& from) {
  to.candidates += from.candidates;
  to.infeasible += from.infeasible;
  to.too_risky += from.too_risky;
  to.feasible += from.feasible;
  to.unbounded += from.unbounded;
  to.unbounded_refused += from.unbounded_refused;
  for (std::size_t r = 0; r <= kRules; ++r) to.rejected[r] += from.rejected[r];
  for (std::size_t i = 0; i < to.refused.size(); ++i) to.refused[i] += from.refused[i];
  to.best.insert(to.best.end(), from.best.begin(), from.best.end());
  to.contenders.add(from.contenders);
  if (needs_less(from.nearest, to.nearest)) to.nearest = from.nearest;
  for (std::size_t f = 0; f < to.families.size(); ++f) add(to.families[f], from.families[f]);
}

void add_to_best(SearchTally& tally, const Candidate& c, std::size_t top) {
  std::vector<Candidate>& best = tally.best;
  best.insert(std::upper_bound(best.begin(), best.end(), c, is_before), c);
  if (best.size() > top) best.pop_back();
}

}  // namespace orrery
