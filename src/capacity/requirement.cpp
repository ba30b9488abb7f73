// SPDX-License-Identifier: Apache-2.0
#include "capacity/requirement.h"

#include <algorithm>
#include <cstdio>
#include <tuple>
#include <utility>

#include "capacity/capacity.h"
#include "capacity/chance.h"
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

// Classes of a chance.
constexpr double kSureEnough = 0.8;
constexpr double kEvenChance = 0.5;

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

// The middle and the upper end of an option's measure.
struct RankValue {
  double middle = 0;
  double upper = 0;
};

// The number of GPUs for the same days is off as the days are.
RankValue gpus_for_time(const OptionAnswer& o) {
  const auto gpus = static_cast<double>(o.gpus);
  return {gpus, gpus * std::max(1.0, double(o.range.wall.high / o.outcome.wall))};
}

RankValue rank_value(RankBy by, const OptionAnswer& o) {
  const auto value = [](double middle, double high) {
    return RankValue{middle, std::max(middle, high)};
  };
  switch (by) {
    case RankBy::cost:
      return o.outcome.cost ? value(o.outcome.cost->amount(), o.range.cost.high) : RankValue{};
    case RankBy::energy:
      return value(o.outcome.energy.facility.si(), o.range.energy.high);
    case RankBy::gpus:
      return gpus_for_time(o);
    case RankBy::time:
      break;
  }
  return value(o.outcome.wall.si(), o.range.wall.high.si());
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

bool asks_for_budget(const CapacityPlan& plan) {
  return std::any_of(plan.requirements.begin(), plan.requirements.end(),
                     [](const Requirement& q) { return q.budget.has_value(); });
}

double worst_shortfall(const CapacityPlan& plan, const OptionAnswer& o) {
  double worst = 0;
  for (const Requirement& q : plan.requirements) worst = std::max(worst, shortfall(q, o).factor);
  return worst;
}

// An option's place, the first difference decides.
struct RankPlace {
  std::size_t option = 0;
  bool is_unpriced = false;  // where a budget is asked
  double shortfall = 0;      // of one that misses
  int chance = 0;            // class
  int price = 0;             // class
  double value = 0;
  Seconds wall{};
  bool is_measured = true;
  RankValue range;

  bool misses() const { return shortfall > 0; }
  bool same_group(const RankPlace& o) const {
    return is_unpriced == o.is_unpriced && misses() == o.misses() && price == o.price;
  }
};

bool stands_before(const RankPlace& a, const RankPlace& b) {
  return std::tuple(a.is_unpriced, a.shortfall, a.chance, a.price, a.value, a.wall) <
         std::tuple(b.is_unpriced, b.shortfall, b.chance, b.price, b.value, b.wall);
}

int chance_class(const CapacityPlan& plan, const OptionAnswer& o) {
  const bool has_chance = std::any_of(
      plan.requirements.begin(), plan.requirements.end(),
      [](const Requirement& q) { return q.deadline.has_value() || q.budget.has_value(); });
  if (!has_chance) return 0;
  const double chance = chance_of(plan.requirements, o).all;
  return chance >= kSureEnough ? 0 : chance >= kEvenChance ? 1 : 2;
}

// Published runs of the generation of its devices, or a rate or steps of one's own.
bool has_measured_runs(const OptionAnswer& o) {
  return !o.run || o.run->interval.is_of_device || (o.plan != nullptr && o.plan->achieved);
}

RankPlace place_of(const CapacityPlan& plan, RankBy by, bool beside_rent,
                   const std::vector<OptionAnswer>& options, std::size_t i) {
  const OptionAnswer& o = options[i];
  RankPlace p;
  p.option = i;
  p.is_unpriced = asks_for_budget(plan) && !o.outcome.cost;
  if (standing(plan, o) == Standing::misses) {
    p.shortfall = worst_shortfall(plan, o);
  } else {
    p.chance = chance_class(plan, o);
  }
  p.price = by == RankBy::cost ? price_class(beside_rent, o) : 0;
  p.range = rank_value(by, o);
  p.value = by == RankBy::gpus ? p.range.middle : p.range.upper;
  p.wall = o.outcome.wall;
  p.is_measured = has_measured_runs(o);
  return p;
}

// An option on a device without measured runs goes behind the first that has some, unless its upper
// end is below that one's middle.
void put_measured_first(std::vector<RankPlace>& order) {
  if (order.empty() || order.front().misses()) return;
  const auto measured = std::find_if(order.begin(), order.end(), [&](const RankPlace& p) {
    return p.is_measured && p.same_group(order.front());
  });
  if (measured == order.end()) return;
  const double middle = measured->range.middle;
  std::stable_partition(order.begin(), measured + 1, [&](const RankPlace& p) {
    return p.is_measured || p.range.upper < middle;
  });
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
  std::pair<bool, double> least;
  for (const std::size_t i : ranked) {
    const Standing now = standing(q, options[i]);
    if (now == Standing::meets) r.met.push_back(i);
    if (now == Standing::unpriced) r.unpriced.push_back(i);
    const Shortfall s = shortfall(q, options[i]);
    // One whose budget cannot be judged is nearer than none.
    if (!r.nearest || std::pair(s.unknown, s.factor) < least) {
      least = {s.unknown, s.factor};
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
  const bool beside_rent = std::any_of(options.begin(), options.end(), [](const OptionAnswer& o) {
    return is_comparable(o) && is_paid_by(Payment::rent, o);
  });
  std::vector<RankPlace> places;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (is_comparable(options[i])) places.push_back(place_of(plan, by, beside_rent, options, i));
  }
  std::stable_sort(places.begin(), places.end(), stands_before);
  put_measured_first(places);
  std::vector<std::size_t> order;
  for (const RankPlace& p : places) order.push_back(p.option);
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
