// SPDX-License-Identifier: Apache-2.0
#include "insight/recovery_advice.h"

#include <algorithm>
#include <cmath>

#include "hardware/cluster.h"

namespace orrery {
namespace {

bool is_better(const PolicyAnswer& a, const PolicyAnswer& b) {
  if (a.outcome.cost && b.outcome.cost) {
    return a.outcome.cost->amount() < b.outcome.cost->amount();
  }
  return a.outcome.wall < b.outcome.wall;
}

}  // namespace

std::optional<SparesWorth> worth_of_spares(const OptionAnswer& o) {
  if (o.inputs.spares == 0 || o.outcome.largest.recovery.losses.empty()) return {};
  OutcomeInputs none = o.inputs;
  none.spares = 0;
  const Outcome without = outcome_of(none);
  const double longer = without.wall / o.outcome.wall - 1;
  SparesWorth w;
  w.spares = o.inputs.spares;
  w.saved = without.wall - o.outcome.wall;
  w.ends_without = !never_ends(without.goodput);
  const double share = static_cast<double>(o.inputs.spares * devices_of_system(o.inputs.cluster)) /
                       static_cast<double>(working_gpus(o.inputs));
  if (longer > share) w.paid_back = o.outcome.wall * (share / longer);
  return w;
}

std::optional<BetterPolicy> better_policy(const OptionAnswer& o) {
  const PolicyAnswer* best = nullptr;
  for (const PolicyAnswer& p : o.policies) {
    if (p.applies && ends(p) && (best == nullptr || is_better(p, *best))) best = &p;
  }
  const bool has_first = !o.policies.empty() && o.policies.front().applies;
  if (best == nullptr || !has_first || best == &o.policies.front()) return {};
  const Outcome& first = o.policies.front().outcome;
  BetterPolicy b{best, first.wall - best->outcome.wall, {}};
  if (first.cost && best->outcome.cost) b.cheaper = *first.cost - *best->outcome.cost;
  return b;
}

}  // namespace orrery
