// SPDX-License-Identifier: Apache-2.0
#include "insight/capacity_chance.h"

#include <algorithm>
#include <cmath>

#include "estimate/accuracy.h"
#include "estimate/risk.h"

namespace orrery {
namespace {

Ranged<double> seconds_of(const Ranged<Seconds>& r) {
  return {r.value.si(), r.low.si(), r.high.si()};
}

void at_most(std::optional<double>& least, double x) { least = least ? std::min(*least, x) : x; }

}  // namespace

double chance_within(const Ranged<double>& value, double limit) {
  if (value.is_exact()) return value.value <= limit ? 1 : 0;
  if (limit <= 0) return 0;
  const double end = limit < value.value ? value.low : value.high;
  const double spread = std::abs(std::log(end / value.value)) / kNormal80;
  if (spread == 0) return value.value <= limit ? 1 : 0;
  return 0.5 * std::erfc(-std::log(limit / value.value) / (spread * std::sqrt(2.0)));
}

Chance chance_of(const std::vector<Requirement>& requirements, const OptionAnswer& o) {
  Chance c;
  for (const Requirement& q : requirements) {
    if (q.deadline) {
      at_most(c.deadline, chance_within(seconds_of(o.range.wall), q.deadline->si()));
    }
    if (q.budget && o.outcome.cost) {
      at_most(c.budget, chance_within(o.range.cost, q.budget->amount()));
    }
  }
  c.fits = fit_probability(o);
  c.all = c.fits * std::min(c.deadline.value_or(1), c.budget.value_or(1));
  return c;
}

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
