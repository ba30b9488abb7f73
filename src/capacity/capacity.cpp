// SPDX-License-Identifier: Apache-2.0
#include "capacity/capacity.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#include "capacity/break_even.h"
#include "capacity/option.h"
#include "core/units.h"
#include "estimate/open_run.h"

namespace orrery {
namespace {

// No option of a ladder that is refused says anything: too small, or it does not divide the batch.
bool is_refusal(const OptionAnswer& o) { return o.status != OptionStatus::fits; }

bool meets_one(const CapacityPlan& plan, const OptionAnswer& o) {
  if (plan.requirements.empty()) return true;
  return std::any_of(plan.requirements.begin(), plan.requirements.end(),
                     [&](const Requirement& q) { return shortfall(q, o).factor <= 1; });
}

// Of sizes in rising order: the one whose best requirement is missed by least.
std::size_t nearest_to_meeting(const CapacityPlan& plan, const std::vector<OptionAnswer>& tried) {
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < tried.size(); ++i) {
    for (const Requirement& q : plan.requirements) {
      const double factor = std::max(1.0, shortfall(q, tried[i]).factor);
      if (factor >= least) continue;
      least = factor;
      nearest = i;
    }
  }
  return nearest;
}

// 1, 1.5, 2, 3, 4, … nodes: what divides a batch that has factors of two and three.
std::vector<std::int64_t> ladder(std::int64_t node) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t n = 1; n * node <= std::int64_t{1} << 18U; n *= 2) {
    sizes.push_back(n * node);
    if (n > 1) sizes.push_back(n / 2 * 3 * node);
  }
  return sizes;
}

std::int64_t node_size(const OptionPlan& option, const PlanContext& context) {
  Json run = option.phases.front().run;
  if (run["cluster"].is_object()) run["cluster"]["gpus"] = 1;
  return resolve_open(run, option.phases.front().file, context.lookup)
      .resolved.run.cluster.devices_per_node;
}

// The first size that meets a requirement; where none does the one that comes nearest. A lone
// scenario shows the size before it too: what less would do.
void add_ladder(const CapacityPlan& plan, const OptionPlan& option, const PlanContext& context,
                std::vector<OptionAnswer>& options) {
  std::vector<OptionAnswer> tried;
  std::optional<OptionAnswer> refused;
  for (const std::int64_t gpus : ladder(node_size(option, context))) {
    OptionAnswer o = answer_option(plan, option, gpus, context);
    if (is_refusal(o)) {
      refused = std::move(o);
      continue;
    }
    tried.push_back(std::move(o));
    if (meets_one(plan, tried.back())) break;
  }
  if (tried.empty()) {
    if (refused) options.push_back(std::move(*refused));
    return;
  }
  const std::size_t found = nearest_to_meeting(plan, tried);
  if (found > 0 && plan.options.size() == 1) options.push_back(std::move(tried[found - 1]));
  options.push_back(std::move(tried[found]));
}

bool is_comparable(const OptionAnswer& o) { return o.status == OptionStatus::fits; }

// By which options are told apart; cost only where each has one.
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
  if (by == RankBy::time) return o.outcome.wall.si();
  if (by == RankBy::energy) return o.outcome.energy.facility.si();
  return o.outcome.cost ? o.outcome.cost->amount() : 0;
}

// Without a price an option stands behind those that have one.
bool ranks_before(RankBy by, const OptionAnswer& a, const OptionAnswer& b) {
  if (by == RankBy::cost && a.outcome.cost.has_value() != b.outcome.cost.has_value()) {
    return a.outcome.cost.has_value();
  }
  const double x = rank_value(by, a);
  const double y = rank_value(by, b);
  return x != y ? x < y : a.outcome.wall < b.outcome.wall;
}

std::vector<std::size_t> ranked(RankBy by, const std::vector<OptionAnswer>& all) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_comparable(all[i])) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return ranks_before(by, all[a], all[b]); });
  return order;
}

std::string one_decimal(double x) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.1f", x);
  return buffer.data();
}

RequirementAnswer judge(const Requirement& q, const CapacityAnswer& c) {
  RequirementAnswer r;
  r.requirement = q;
  double least = 0;
  for (const std::size_t i : c.ranked) {
    const Shortfall s = shortfall(q, c.options[i]);
    if (s.unknown) continue;
    if (s.factor <= 1) {
      r.met.push_back(i);
      if (!r.smallest || c.options[i].gpus < c.options[*r.smallest].gpus) r.smallest = i;
    }
    if (!r.nearest || s.factor < least) {
      least = s.factor;
      r.nearest = i;
      r.nearest_text = s.text;
    }
  }
  if (!r.met.empty()) r.nearest.reset();
  return r;
}

std::vector<BreakEven> break_evens(const CapacityAnswer& c) {
  std::vector<BreakEven> list;
  if (c.ranked.empty()) return list;
  const std::size_t best = c.ranked.front();
  const std::optional<Money>& cost = c.options[best].outcome.cost;
  if (!cost) return list;
  for (const std::size_t i : c.ranked) {
    if (i == best) continue;
    list.push_back({i, rent_for(*cost, c.options[i].inputs, c.options[i].outcome.wall)});
  }
  return list;
}

}  // namespace

Shortfall shortfall(const Requirement& q, const OptionAnswer& o) {
  Shortfall s;
  const auto worst = [&](double factor, const std::string& text) {
    if (factor > s.factor) s = {factor, text, s.unknown};
  };
  const Seconds wall = q.sure ? o.range.wall.high : o.outcome.wall;
  const std::string upto = q.sure ? "up to " : "";
  if (q.deadline) {
    worst(wall / *q.deadline, "takes " + upto + one_decimal(wall / kDay) + " days of " +
                                  one_decimal(*q.deadline / kDay));
  }
  if (q.power) {
    worst(o.outcome.energy.peak / *q.power,
          "draws " + pretty(o.outcome.energy.peak) + " of " + pretty(*q.power));
  }
  if (!q.budget) return s;
  if (!o.outcome.cost) return {2, "has no price", true};
  const double cost = q.sure ? o.range.cost.high : o.outcome.cost->amount();
  const double factor = q.budget->amount() > 0 ? cost / q.budget->amount() : 2;
  worst(factor, "costs " + upto + one_decimal(cost / 1e6) + " M of " +
                    one_decimal(q.budget->amount() / 1e6) + " M " + q.budget->currency().text());
  return s;
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

CapacityAnswer answer(const CapacityPlan& plan, const PlanContext& context) {
  CapacityAnswer c;
  for (const OptionPlan& option : plan.options) {
    if (option.smallest) {
      add_ladder(plan, option, context, c.options);
      continue;
    }
    for (const std::int64_t gpus : option.sizes) {
      c.options.push_back(answer_option(plan, option, gpus, context));
    }
  }
  const bool priced = std::any_of(c.options.begin(), c.options.end(),
                                  [](const OptionAnswer& o) { return o.outcome.cost.has_value(); });
  c.rank = plan.rank == RankBy::cost && !priced ? RankBy::time : plan.rank;
  c.ranked = ranked(c.rank, c.options);
  c.front = pareto_front(c.options);
  for (const Requirement& q : plan.requirements) c.requirements.push_back(judge(q, c));
  c.break_evens = break_evens(c);
  return c;
}

}  // namespace orrery
