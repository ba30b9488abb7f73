// SPDX-License-Identifier: Apache-2.0
#include "capacity/periodic.h"

namespace orrery {
namespace {

Seconds exposed_by_data_parallelism(const TrainingTime& t) {
  Seconds sum;
  for (const PieceTime& p : t.pieces) {
    sum += p.answer.breakdown[static_cast<std::size_t>(Term::dp_exposed)] *
           static_cast<double>(p.steps);
  }
  return sum;
}

}  // namespace

std::vector<PeriodicSync> periodic_syncs(const OutcomeInputs& in, const TrainingTime& t) {
  const Seconds exposed = exposed_by_data_parallelism(t);
  std::vector<PeriodicSync> list;
  if (exposed.si() <= 0) return list;
  for (const std::int64_t every : kSyncEvery) {
    OutcomeInputs moved = in;
    moved.training.value -= exposed * (1 - 1 / static_cast<double>(every));
    list.push_back({every, outcome_of(moved).wall});
  }
  return list;
}

}  // namespace orrery
