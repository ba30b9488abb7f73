// SPDX-License-Identifier: Apache-2.0
#include "capacity/chance.h"

#include <algorithm>
#include <cmath>

#include "estimate/accuracy.h"

namespace orrery {
namespace {

// A logarithm whose middle is 0 has one deviation on each side.
struct TwoSided {
  double below = 0;
  double above = 0;

  double of(double x) const { return x < 0 ? below : above; }
  bool is_exact() const { return below == 0 && above == 0; }
};

TwoSided deviations(const Ranged<double>& r) {
  const auto one = [&](double end) { return std::abs(std::log(end / r.value)) / kNormal80; };
  return {one(r.low), one(r.high)};
}

double normal_up_to(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

double chance_up_to(const TwoSided& s, double x) {
  const double one = s.of(x);
  if (one == 0) return x >= 0 ? 1 : 0;
  return normal_up_to(x / one);
}

TwoSided beyond(const TwoSided& whole, const TwoSided& part) {
  const auto left = [](double a, double b) { return std::sqrt(std::max(0.0, a * a - b * b)); };
  return {left(whole.below, part.below), left(whole.above, part.above)};
}

// Least of what is required of one kind.
void note_least(double limit, std::optional<double>& least) {
  least = least ? std::min(*least, limit) : limit;
}

}  // namespace

double chance_within(const Ranged<double>& value, double limit) {
  if (value.is_exact()) return value.value <= limit ? 1 : 0;
  if (limit <= 0) return 0;
  return chance_up_to(deviations(value), std::log(limit / value.value));
}

double chance_within_both(const LimitedValue& time, const LimitedValue& cost) {
  const double of_time = chance_within(time.value, time.limit);
  const double of_cost = chance_within(cost.value, cost.limit);
  const double least = std::min(of_time, of_cost);
  const bool is_one_sure = time.value.is_exact() || cost.value.is_exact() || least == 0;
  if (is_one_sure) return of_time * of_cost;
  const TwoSided t = deviations(time.value);
  const TwoSided price = beyond(deviations(cost.value), t);
  if (price.is_exact()) return least;
  constexpr int kParts = 2000;
  constexpr double kEnd = 8;  // deviations
  constexpr double kWidth = 2 * kEnd / kParts;
  const double kRootOf2Pi = 2.5066282746310002;
  const double late = std::log(time.limit / time.value.value);
  const double left = std::log(cost.limit / cost.value.value);
  double sum = 0;
  for (int i = 0; i < kParts; ++i) {
    const double z = -kEnd + (i + 0.5) * kWidth;
    const double moved = t.of(z) * z;
    if (moved > late) break;
    sum += std::exp(-z * z / 2) / kRootOf2Pi * kWidth * chance_up_to(price, left - moved);
  }
  return std::min(sum, least);
}

Chance chance_of(const std::vector<Requirement>& requirements, const OptionAnswer& o) {
  std::optional<double> deadline;
  std::optional<double> budget;
  for (const Requirement& q : requirements) {
    if (q.deadline) note_least(q.deadline->si(), deadline);
    if (q.budget && o.outcome.cost) note_least(q.budget->amount(), budget);
  }
  const Ranged<Seconds>& wall = o.range.wall;
  const LimitedValue time{{wall.value.si(), wall.low.si(), wall.high.si()}, deadline.value_or(0)};
  const LimitedValue cost{o.range.cost, budget.value_or(0)};
  Chance c;
  if (deadline) c.deadline = chance_within(time.value, time.limit);
  if (budget) c.budget = chance_within(cost.value, cost.limit);
  c.fits = fit_probability(o);
  c.all = c.fits * (deadline && budget ? chance_within_both(time, cost)
                                       : c.deadline.value_or(c.budget.value_or(1)));
  return c;
}

}  // namespace orrery
