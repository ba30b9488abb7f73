// SPDX-License-Identifier: Apache-2.0
#include "capacity/capacity.h"

#include <algorithm>
#include <iterator>

#include "capacity/bill.h"
#include "capacity/ladder.h"
#include "capacity/option.h"
#include "capacity/sizes.h"
#include "estimate/fits_at_risk.h"
#include "estimate/risk.h"
#include "explore/rl_search.h"

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

// Reports progress: sizes begun, of all that may be tried.
class SizeProgress {
 public:
  SizeProgress(const CapacityPlan& plan, const PlanContext& context) : progress_(context.progress) {
    if (!progress_) return;
    for (const OptionPlan& option : plan.options) {
      total_ += static_cast<std::int64_t>(
          option.smallest ? ladder_sizes(option, context).rungs.size() : option.sizes.size());
      ends_.push_back(total_);
    }
  }

  // A ladder may go on between two sizes: its share of the whole is never exceeded.
  void one() {
    if (!progress_) return;
    progress_(done_, total_);
    if (done_ + 1 < ends_[option_]) ++done_;
  }
  // A ladder ends before its last size.
  void end_of_option() {
    if (progress_) done_ = std::min(ends_[option_++], total_ - 1);
  }

 private:
  const std::function<void(std::int64_t, std::int64_t)>& progress_;
  std::vector<std::int64_t> ends_;
  std::size_t option_ = 0;
  std::int64_t done_ = 0;
  std::int64_t total_ = 0;
};

void add_answers(const CapacityPlan& plan, const OptionPlan& option, const PlanContext& context,
                 SizeProgress& tried, CapacityAnswer& c) {
  if (option.smallest) {
    SmallestFound found = smallest_sizes(plan, option, context, [&tried] { tried.one(); });
    std::move(found.options.begin(), found.options.end(), std::back_inserter(c.options));
    c.sizes_tried.push_back(std::move(found.tried));
  }
  for (const std::int64_t gpus : option.sizes) {
    tried.one();
    c.options.push_back(answer_option(plan, option, gpus, context));
  }
}

}  // namespace

double fit_probability(const OptionAnswer& o) {
  return o.rl ? fit_probability(o.run->run, o.rl->memory) : fit_probability(o.run->run, o.answer);
}

bool fits_at_risk(const OptionAnswer& o) {
  return o.rl ? fits_surely(o.run->run, o.rl->memory) : fits_at_risk(o.run->run, o.answer);
}

CapacityAnswer answer(const CapacityPlan& plan, const PlanContext& context) {
  CapacityAnswer c;
  SizeProgress tried(plan, context);
  for (const OptionPlan& option : plan.options) {
    add_answers(plan, option, context, tried, c);
    tried.end_of_option();
    // A search that was cut short has no answer.
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
