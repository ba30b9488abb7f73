// SPDX-License-Identifier: Apache-2.0
#include "capacity/ranking.h"

#include <algorithm>

#include "capacity/capacity.h"

namespace orrery {
namespace {

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

double rank_value(RankBy by, const OptionAnswer& o) {
  switch (by) {
    case RankBy::cost:
      return o.outcome.cost ? o.outcome.cost->amount() : 0;
    case RankBy::energy:
      return o.outcome.energy.facility.si();
    case RankBy::gpus:
      return static_cast<double>(o.gpus);
    case RankBy::time:
      break;
  }
  return o.outcome.wall.si();
}

// Options without a price come after those with one.
bool ranks_before(RankBy by, const OptionAnswer& a, const OptionAnswer& b) {
  if (by == RankBy::cost && a.outcome.cost.has_value() != b.outcome.cost.has_value()) {
    return a.outcome.cost.has_value();
  }
  const double x = rank_value(by, a);
  const double y = rank_value(by, b);
  return x != y ? x < y : a.outcome.wall < b.outcome.wall;
}

}  // namespace

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
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (standings[a] != standings[b]) return standings[a] < standings[b];
    return ranks_before(by, options[a], options[b]);
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
