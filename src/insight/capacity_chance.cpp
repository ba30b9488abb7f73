// SPDX-License-Identifier: Apache-2.0
#include "insight/capacity_chance.h"

#include <algorithm>

namespace orrery {
namespace {

void at_most(std::optional<double>& least, double x) { least = least ? std::min(*least, x) : x; }

}  // namespace

std::optional<double> slack_of_step(const std::vector<Requirement>& requirements,
                                    const OptionAnswer& o) {
  std::optional<double> least;
  for (const Requirement& q : requirements) {
    if (q.deadline) at_most(least, *q.deadline / o.outcome.wall - 1);
    if (q.budget && o.outcome.cost) at_most(least, *q.budget / *o.outcome.cost - 1);
  }
  return least;
}

namespace {

bool keeps(const Requirement& q, const Outcome& o) {
  if (q.sure) return false;
  if (q.deadline && o.wall > *q.deadline) return false;
  if (q.power && o.energy.peak > *q.power) return false;
  return !q.budget || (o.cost && o.cost->amount() <= q.budget->amount());
}

}  // namespace

const PowerCapped* cap_that_meets(const std::vector<Requirement>& requirements,
                                  const OptionAnswer& o) {
  const auto all_kept = [&](const Outcome& x) {
    return std::all_of(requirements.begin(), requirements.end(),
                       [&](const Requirement& q) { return keeps(q, x); });
  };
  if (requirements.empty() || all_kept(o.outcome)) return nullptr;
  const auto found = std::find_if(o.capped.begin(), o.capped.end(),
                                  [&](const PowerCapped& p) { return all_kept(p.outcome); });
  return found == o.capped.end() ? nullptr : &*found;
}

const PowerCapped* cap_that_saves(Watts limit, const OptionAnswer& o) {
  constexpr double kMostTime = 1.05;
  const PowerCapped* lowest = nullptr;
  for (const PowerCapped& p : o.capped) {
    const Outcome& x = p.outcome;
    const bool saves = p.cap < cap_of(o.inputs.cluster) && x.wall <= o.outcome.wall * kMostTime &&
                       x.energy.facility < o.outcome.energy.facility;
    if (saves && x.energy.peak <= limit) lowest = &p;
  }
  return lowest;
}

}  // namespace orrery
