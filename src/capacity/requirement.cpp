// SPDX-License-Identifier: Apache-2.0
#include "capacity/requirement.h"

#include <algorithm>
#include <cstdio>

#include "capacity/capacity.h"
#include "core/units.h"

namespace orrery {
namespace {

std::string one_decimal(double x, const char* unit) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.1f %s", x, unit);
  return buffer.data();
}

std::string span_text(Seconds t) {
  return t < kDay ? one_decimal(t / kHour, "hours") : one_decimal(t / kDay, "days");
}

std::string millions(double amount, Currency c) {
  return one_decimal(amount / 1e6, "M ") + c.text();
}

void take_smallest(std::size_t i, const std::vector<OptionAnswer>& options,
                   std::optional<std::size_t>& smallest) {
  if (!smallest || options[i].gpus < options[*smallest].gpus) smallest = i;
}

}  // namespace

Shortfall shortfall(const Requirement& q, const OptionAnswer& o) {
  Shortfall s;
  const auto worst = [&](double factor, const std::string& text) {
    if (factor > s.factor) s = {factor, text, s.unknown};
  };
  const std::string upto = q.sure ? "up to " : "";
  if (q.deadline) {
    const Seconds wall = q.sure ? o.range.wall.high : o.outcome.wall;
    worst(wall / *q.deadline, "takes " + upto + span_text(wall) + " of " + span_text(*q.deadline));
  }
  if (q.power) {
    worst(o.outcome.energy.peak / *q.power,
          "draws " + pretty(o.outcome.energy.peak) + " of " + pretty(*q.power));
  }
  if (!q.budget) return s;
  s.unknown = !o.outcome.cost.has_value();
  if (s.unknown) return s;
  const double cost = q.sure ? o.range.cost.high : o.outcome.cost->amount();
  const double factor = q.budget->amount() > 0 ? cost / q.budget->amount() : 2;
  worst(factor, "costs " + upto + millions(cost, q.budget->currency()) + " of " +
                    millions(q.budget->amount(), q.budget->currency()));
  return s;
}

Standing standing(const Requirement& q, const OptionAnswer& o) {
  const Shortfall s = shortfall(q, o);
  if (s.factor > 1) return Standing::misses;
  return s.unknown ? Standing::unpriced : Standing::meets;
}

Standing standing(const CapacityPlan& plan, const OptionAnswer& o) {
  Standing worst = Standing::meets;
  for (const Requirement& q : plan.requirements) worst = std::max(worst, standing(q, o));
  return worst;
}

RequirementAnswer judge(const Requirement& q, const std::vector<OptionAnswer>& options,
                        const std::vector<std::size_t>& ranked) {
  RequirementAnswer r;
  r.requirement = q;
  double least = 0;
  for (const std::size_t i : ranked) {
    const Standing now = standing(q, options[i]);
    if (now == Standing::meets) r.met.push_back(i);
    if (now == Standing::unpriced) r.unpriced.push_back(i);
    const Shortfall s = shortfall(q, options[i]);
    if (!r.nearest || s.factor < least) {
      least = s.factor;
      r.nearest = i;
      r.nearest_text = s.text;
    }
  }
  const std::vector<std::size_t>& found = r.met.empty() ? r.unpriced : r.met;
  for (const std::size_t i : found) take_smallest(i, options, r.smallest);
  if (!found.empty()) r.nearest.reset();
  return r;
}

}  // namespace orrery
