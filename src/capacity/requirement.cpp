// SPDX-License-Identifier: Apache-2.0
#include "capacity/requirement.h"

#include <algorithm>
#include <cstdio>

#include "capacity/capacity.h"
#include "core/units.h"
#include "estimate/risk.h"

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

void take_size(const Requirement& q, std::size_t i, const std::vector<OptionAnswer>& options,
               std::optional<std::size_t>& taken) {
  const std::int64_t sign = q.wants_most() ? -1 : 1;
  if (!taken || sign * options[i].gpus < sign * options[*taken].gpus) taken = i;
}

bool is_comparable(const OptionAnswer& o) { return o.status == OptionStatus::fits; }

// The aims of the front; cost only if each option has one.
std::array<double, 3> measures(const OptionAnswer& o, bool with_cost) {
  return {o.outcome.wall.si(), with_cost ? o.outcome.cost->amount() : 0,
          o.outcome.energy.facility.si()};
}

bool dominates(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (b[i] < a[i]) return false;
    better = better || a[i] < b[i];
  }
  return better;
}

// The upper end of the range: nobody knows that a device without measured runs is cheap.
double rank_value(RankBy by, const OptionAnswer& o) {
  switch (by) {
    case RankBy::cost:
      return o.outcome.cost ? std::max(o.outcome.cost->amount(), o.range.cost.high) : 0;
    case RankBy::energy:
      return std::max(o.outcome.energy.facility.si(), o.range.energy.high);
    case RankBy::gpus:
      return static_cast<double>(o.gpus);
    case RankBy::time:
      break;
  }
  return std::max(o.outcome.wall.si(), o.range.wall.high.si());
}

bool is_paid_by(Payment p, const OptionAnswer& o) {
  return o.outcome.cost && o.outcome.bill.payment == p;
}

// A rent pays for all; a bill of bought hardware that lacks a part is no cost beside one. Such
// options come after the rented, and options without a price last.
int price_class(bool beside_rent, const OptionAnswer& o) {
  if (!o.outcome.cost) return 2;
  const bool lacks = is_paid_by(Payment::purchase, o) && !not_counted(o.outcome.bill).empty();
  return beside_rent && lacks ? 1 : 0;
}

bool ranks_before(RankBy by, bool beside_rent, const OptionAnswer& a, const OptionAnswer& b) {
  const int p = price_class(beside_rent, a);
  const int q = price_class(beside_rent, b);
  if (by == RankBy::cost && p != q) return p < q;
  const double x = rank_value(by, a);
  const double y = rank_value(by, b);
  return x != y ? x < y : a.outcome.wall < b.outcome.wall;
}

}  // namespace

std::optional<Watts> least_power(const std::vector<Requirement>& requirements) {
  std::optional<Watts> least;
  for (const Requirement& q : requirements) {
    if (q.power) least = std::min(least.value_or(*q.power), *q.power);
  }
  return least;
}

Shortfall shortfall(const Requirement& q, const OptionAnswer& o) {
  Shortfall s;
  if (q.sure && o.run && !fits_at_risk(o)) {
    s = {2, "fits with " + probability_words(fit_probability(o)), false};
  }
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
  for (const std::size_t i : found) take_size(q, i, options, r.smallest);
  if (!found.empty()) r.nearest.reset();
  return r;
}

RankBy rank_of(const CapacityPlan& plan, const std::vector<OptionAnswer>& options) {
  if (plan.rank != RankBy::cost) return plan.rank;
  const bool priced = std::any_of(options.begin(), options.end(),
                                  [](const OptionAnswer& o) { return o.outcome.cost.has_value(); });
  if (priced) return RankBy::cost;
  const bool has_deadline =
      std::any_of(plan.requirements.begin(), plan.requirements.end(),
                  [](const Requirement& q) { return q.deadline.has_value(); });
  return has_deadline ? RankBy::gpus : RankBy::time;
}

std::vector<std::size_t> ranked(const CapacityPlan& plan, RankBy by,
                                const std::vector<OptionAnswer>& options) {
  std::vector<std::size_t> order;
  std::vector<Standing> standings(options.size(), Standing::misses);
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (!is_comparable(options[i])) continue;
    order.push_back(i);
    standings[i] = standing(plan, options[i]);
  }
  const bool beside_rent = std::any_of(order.begin(), order.end(), [&](std::size_t i) {
    return is_paid_by(Payment::rent, options[i]);
  });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (standings[a] != standings[b]) return standings[a] < standings[b];
    return ranks_before(by, beside_rent, options[a], options[b]);
  });
  return order;
}

std::vector<std::size_t> pareto_front(const std::vector<OptionAnswer>& options) {
  const bool with_cost = std::all_of(options.begin(), options.end(), [](const OptionAnswer& o) {
    return !is_comparable(o) || o.outcome.cost.has_value();
  });
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (!is_comparable(options[i])) continue;
    const auto mine = measures(options[i], with_cost);
    const bool beaten = std::any_of(options.begin(), options.end(), [&](const OptionAnswer& o) {
      return is_comparable(o) && dominates(measures(o, with_cost), mine);
    });
    if (!beaten) front.push_back(i);
  }
  return front;
}

}  // namespace orrery
