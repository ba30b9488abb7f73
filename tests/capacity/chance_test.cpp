// SPDX-License-Identifier: Apache-2.0
//
// The chance of a deadline and a budget together, and the order of options that it gives.
#include "capacity/chance.h"

#include <doctest/doctest.h>

#include <cmath>

#include "capacity/shipped_plans.h"
#include "estimate/accuracy.h"
#include "support/about.h"

namespace orrery {
namespace {

using testing::about;
using testing::answered;

Ranged<double> lognormal(double middle, double deviation) {
  const double end = std::exp(deviation * kNormal80);
  return {middle, middle / end, middle * end};
}

// By hand: both limits at the middle. ln C = ln T + price with equal deviations has a correlation
// of 1/√2 with ln T, and two normals of correlation ρ are both below their middle with a
// probability of 1/4 + asin(ρ)/2π = 3/8.
TEST_CASE("time and cost share the error of the time, and prices have their own") {
  const Ranged<double> days = lognormal(50, 0.3);
  const Ranged<double> cost = lognormal(10e6, 0.3 * std::sqrt(2.0));
  CHECK(chance_within_both({days, 50}, {cost, 10e6}) == about(0.375).epsilon(1e-3));
  // Without an error of prices both are one error: the lesser chance.
  CHECK(chance_within_both({days, 60}, {lognormal(10e6, 0.3), 11e6}) ==
        about(chance_within(lognormal(10e6, 0.3), 11e6)));
  // A limit that is always kept leaves the chance of the other.
  CHECK(chance_within_both({days, 1e9}, {cost, 12e6}) ==
        about(chance_within(cost, 12e6)).epsilon(1e-3));
  // Days without a range are kept or not.
  CHECK(chance_within_both({exactly(50.0), 50}, {cost, 10e6}) == about(0.5));
  CHECK(chance_within_both({exactly(50.0), 49}, {cost, 10e6}) == 0);
}

struct Made {
  const char* name = "";
  double days = 60;
  double spread = 1.5;  // upper end over middle
  double cost = 0;      // millions; 0: no price
  double cost_spread = 1.5;
  bool is_measured = true;
  std::int64_t gpus = 1000;
};

// Options like one that fits, with other numbers.
class MadeOptions {
 public:
  MadeOptions() : base_(answered(R"({"run": "gpt3-175b-1024-a100"})")) {}

  std::string order(const CapacityPlan& plan, RankBy by, const std::vector<Made>& made) const {
    std::vector<OptionAnswer> options;
    for (const Made& m : made) options.push_back(option(m));
    std::string names;
    for (const std::size_t i : ranked(plan, by, options)) names += options[i].scenario;
    return names;
  }

 private:
  OptionAnswer option(const Made& m) const {
    OptionAnswer o = base_->answer.options.at(0);
    o.scenario = m.name;
    o.gpus = m.gpus;
    o.outcome.wall = kDay * m.days;
    o.range.wall = {kDay * m.days, kDay * (m.days / m.spread), kDay * (m.days * m.spread)};
    o.outcome.cost.reset();
    if (m.cost > 0) {
      const double amount = m.cost * 1e6;
      o.outcome.cost = Money(amount, Currency());
      o.range.cost = {amount, amount / m.cost_spread, amount * m.cost_spread};
    }
    o.run->interval.is_of_device = m.is_measured;
    return o;
  }

  std::unique_ptr<testing::AnsweredPlan> base_;
};

CapacityPlan within(double days, double millions) {
  CapacityPlan plan;
  Requirement q;
  q.deadline = kDay * days;
  if (millions > 0) q.budget = Money(millions * 1e6, Currency());
  plan.requirements.push_back(q);
  return plan;
}

TEST_CASE("without prices an option on a device without measured runs does not lead") {
  const MadeOptions m;
  const CapacityPlan plan = within(90, 0);
  const Made unknown{"u", 85, 2.13, 0, 1, false, 896};
  CHECK(m.order(plan, RankBy::gpus, {unknown, {"m", 85, 1.7, 0, 1, true, 904}}) == "mu");
  // The upper end, 896 · 2.13 GPUs, below the other's middle.
  CHECK(m.order(plan, RankBy::gpus, {unknown, {"m", 85, 1.7, 0, 1, true, 2000}}) == "um");
}

TEST_CASE("where a budget is asked an option without a price comes last") {
  const MadeOptions m;
  const Made unpriced{"u", 60, 1.2};
  const Made priced{"p", 60, 1.5, 9};
  CHECK(m.order(within(90, 30), RankBy::cost, {unpriced, priced}) == "pu");
  // Too dear is known; without a price nothing is.
  CHECK(m.order(within(90, 5), RankBy::cost, {unpriced, priced}) == "pu");
  CHECK(m.order(within(90, 0), RankBy::time, {unpriced, priced}) == "up");
}

TEST_CASE("a device without measured runs leads only by more than its uncertainty") {
  const MadeOptions m;
  const CapacityPlan plan = within(90, 30);
  const Made measured{"m", 85, 1.7, 11.0, 1.9};
  CHECK(m.order(plan, RankBy::cost, {{"u", 85, 2.13, 8.85, 2.14, false}, measured}) == "mu");
  CHECK(m.order(plan, RankBy::cost, {{"u", 85, 2.13, 5.0, 2.14, false}, measured}) == "um");
  // Beside no measured one there is nothing to lead.
  CHECK(m.order(plan, RankBy::cost, {{"u", 85, 2.13, 8.85, 2.14, false}}) == "u");
}

TEST_CASE("the surer option comes before the cheaper, and the nearest before others that miss") {
  const MadeOptions m;
  const Made coin_toss{"c", 85, 1.7, 9, 1.7};
  const Made sure{"s", 50, 1.7, 11, 1.9};
  CHECK(m.order(within(90, 30), RankBy::cost, {coin_toss, sure}) == "sc");
  // In one class of chances the cheaper, by its upper end.
  CHECK(m.order(within(90, 30), RankBy::cost, {{"a", 82, 1.7, 9, 1.7}, coin_toss}) == "ac");
  CHECK(m.order(within(90, 30), RankBy::cost, {{"a", 80, 1.7, 9.5, 1.7}, coin_toss}) == "ca");
  CHECK(m.order(within(40, 30), RankBy::cost, {coin_toss, sure}) == "sc");
}

}  // namespace
}  // namespace orrery
