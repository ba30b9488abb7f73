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

void SearchWorker::take(const Unit& unit) {
  runs_.start(unit);
  const UnitWalk walk(in_.space, unit);
  judge_.start(unit, walk.shardings());
  walk.shapes([&](const SearchCell& shape) { judge_.judge(shape); });
  judge_.finish_unit();
  queue_.finish_unit();
}

}  // namespace orrery
