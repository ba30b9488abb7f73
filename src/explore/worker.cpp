// SPDX-License-Identifier: Apache-2.0
#include "explore/worker.h"

#include "explore/unit_walk.h"

namespace orrery {

SearchTally empty_tally(const SearchInputs& in) {
  SearchTally t;
  t.families.resize(in.options.families ? in.index.size() : 0);
  t.refused.resize(in.conditions.constraints.size());
  return t;
}

SearchWorker::SearchWorker(const SearchInputs& in)
    : in_(in),
      tally_(empty_tally(in)),
      runs_(in.space),
      queue_(in, runs_, tally_),
      judge_(in, runs_, queue_, tally_) {}

// Without a walk over its candidates, which then nobody counts.
bool SearchWorker::is_never_legal() {
  if (!in_.best_alone) return false;
  Point first;
  first.sharding.zero = 0;
  runs_.set(first);
  runs_.run().strategy.listed_stages = false;
  return is_of_degrees_alone(runs_.broken_rule(RulePart::degrees));
}

void SearchWorker::take(const Unit& unit) {
  runs_.start(unit);
  if (is_never_legal()) return;
  const UnitWalk walk(in_.space, unit);
  judge_.start(unit, walk.shardings());
  walk.shapes([&](const SearchCell& shape) { judge_.judge(shape); });
  judge_.finish_unit();
  queue_.finish_unit();
}

}  // namespace orrery
