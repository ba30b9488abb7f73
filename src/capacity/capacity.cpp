// SPDX-License-Identifier: Apache-2.0
#include "capacity/capacity.h"

#include <algorithm>
#include <iterator>

#include "capacity/bill.h"
#include "capacity/ladder.h"
#include "capacity/option.h"

namespace orrery {
namespace {

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

void add_answers(const CapacityPlan& plan, const OptionPlan& option, const PlanContext& context,
                 CapacityAnswer& c) {
  if (option.smallest) {
    SmallestFound found = smallest_sizes(plan, option, context);
    std::move(found.options.begin(), found.options.end(), std::back_inserter(c.options));
    c.sizes_tried.push_back(std::move(found.tried));
  }
  for (const std::int64_t gpus : option.sizes) {
    c.options.push_back(answer_option(plan, option, gpus, context));
  }
}

}  // namespace

CapacityAnswer answer(const CapacityPlan& plan, const PlanContext& context) {
  CapacityAnswer c;
  std::int64_t done = 0;
  for (const OptionPlan& option : plan.options) {
    if (context.progress) {
      context.progress(done++, static_cast<std::int64_t>(plan.options.size()));
    }
    add_answers(plan, option, context, c);
    // Whatever a search that was cut short found is no answer.
    c.is_stopped = context.stopped && context.stopped();
    if (c.is_stopped) return c;
  }
  c.rank = rank_of(plan, c.options);
  c.ranked = ranked(plan, c.rank, c.options);
  c.front = pareto_front(c.options);
  for (const Requirement& q : plan.requirements)
    c.requirements.push_back(judge(q, c.options, c.ranked));
  c.break_evens = break_evens(c);
  return c;
}

}  // namespace orrery
