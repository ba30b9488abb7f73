// SPDX-License-Identifier: Apache-2.0
#include "capacity/ladder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "capacity/option.h"
#include "capacity/shipped_plans.h"
#include "capacity/sizes.h"
#include "support/about.h"
#include "support/sanitized.h"

namespace orrery {
namespace {

using testing::answered;

const char* const kLlama =
    R"("run": {"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
        "training": {"sequence_length": 8192, "global_batch": BATCH, "tokens": 2e12},
        "parallel": {"zero": 1, "recompute": "full"}, "framework": "megatron-core"})";

std::string llama(const std::string& batch) {
  std::string text = kLlama;
  return text.replace(text.find("BATCH"), 5, batch);
}

std::string plan_of(const std::string& run, const std::string& more) {
  return "{" + run + R"(, "gpus": "smallest", )" + more + "}";
}

std::string within(const std::string& days) {
  return R"("require": {"deadline": ")" + days + R"( d"})";
}

// The first of from, from + step, … that meets the plan's requirement; 0: none up to `most`.
std::int64_t by_brute_force(const std::string& plan_text, std::int64_t step, std::int64_t most) {
  const PlanContext context = testing::shipped_context();
  const CapacityPlan plan = read_plan(parse_json(plan_text, "plan.json"), "plan.json", context);
  for (std::int64_t gpus = step; gpus <= most; gpus += step) {
    const OptionAnswer o = answer_option(plan, plan.options[0], gpus, context);
    if (o.status != OptionStatus::fits) continue;
    if (standing(plan.requirements[0], o) == Standing::meets) return gpus;
  }
  return 0;
}

struct Case {
  std::string run;
  std::string require;
  std::int64_t step;  // of brute force
  std::int64_t most;
};

TEST_CASE("the smallest is the one that trying every number of GPUs finds") {
  const std::string mt_nlg = R"("run": "megatron-530b-2240-a100", "goal": {"tokens": 270e9})";
  const std::string opt = R"("run": "opt-175b-992-a100")";
  std::size_t seen = 0;
  for (const Case& c :
       {Case{mt_nlg, within("90"), 8, 2240}, Case{mt_nlg, within("40"), 8, 2240},
        Case{opt, within("90"), 8, 992}, Case{opt, within("45"), 8, 992},
        Case{llama("720"), within("60"), 1, 144}, Case{llama("720"), within("33"), 1, 144},
        Case{llama("2880"), within("30"), 1, 192}, Case{llama("35"), within("100"), 1, 64},
        Case{llama("720"), R"("require": {"deadline": "60 d", "power": "99 kW"})", 1, 720}}) {
    if (seen++ % testing::kShare != 0) continue;
    const std::string text = plan_of(c.run, c.require);
    CAPTURE(text);
    const std::int64_t least = by_brute_force(text, c.step, c.most);
    const auto a = answered(text);
    const RequirementAnswer& r = a->answer.requirements[0];
    REQUIRE(least > 0);
    REQUIRE(r.smallest);
    CHECK(a->answer.options[*r.smallest].gpus == least);
    CHECK(a->answer.sizes_tried.at(0).left_out == 0);
  }
}

TEST_CASE("where the batch leaves smaller sizes out, the nearest batch that takes one is named") {
  const std::string days = within("33");
  for (const char* batch : {"512", "1024"}) {
    CAPTURE(batch);
    const auto a = answered(plan_of(llama(batch), days));
    const RequirementAnswer& r = a->answer.requirements[0];
    REQUIRE(r.smallest);
    const std::int64_t smallest = a->answer.options[*r.smallest].gpus;
    const std::optional<OtherBatch>& other = a->answer.sizes_tried.at(0).other_batch;
    REQUIRE(other);
    CHECK(other->gpus < smallest);
    const double given = std::stod(batch);
    CHECK(std::stoll(batch) % other->gpus != 0);
    CHECK(std::abs(static_cast<double>(other->global_batch) - given) <= kOtherBatch * given);
    // Asked for at that batch, it is possible and in time; one GPU fewer is not.
    const auto at = [&](std::int64_t gpus) {
      const std::int64_t near = near_batches(std::stoll(batch), gpus).front();
      const auto b = answered("{" + llama(std::to_string(near)) + R"(, "gpus": )" +
                              std::to_string(gpus) + ", " + days + "}");
      return b->answer.options[0];
    };
    const OptionAnswer there = at(other->gpus);
    CHECK(there.outcome.wall == other->wall);
    CHECK(there.outcome.wall.si() <= 33 * 86400);
    const OptionAnswer fewer = at(other->gpus - 1);
    CHECK(fewer.outcome.wall.si() > 33 * 86400);
  }
}

TEST_CASE("a batch that takes every smaller size is not spoken of") {
  const auto a = answered(plan_of(llama("720"), within("3650")));
  CHECK_FALSE(a->answer.sizes_tried.at(0).other_batch);
  using Batches = std::vector<std::int64_t>;
  CHECK(near_batches(1024, 100) == Batches{1000, 1100});
  CHECK(near_batches(1024, 640).empty());
  CHECK(near_batches(1024, 50) == Batches{1000, 1050, 950, 1100});
  CHECK(near_batches(1024, 128) == Batches{1024});
  CHECK(near_batches(1'000'000, 1).size() == kMostOtherBatches);
}

// Interleaved over 4 stages, the micro batches of a replica are a multiple of 4.
TEST_CASE("the other batch is the nearest that an interleaved schedule takes") {
  const auto a =
      answered(R"({"run": "llama-3-70b-64-h100", "goal": {"tokens": 2e12}, "gpus": "smallest",
      "set": {"training.global_batch": 1024}, )" +
               within("60") + "}");
  const std::optional<OtherBatch>& other = a->answer.sizes_tried.at(0).other_batch;
  REQUIRE(other);
  CHECK(other->gpus < a->answer.options[*a->answer.requirements[0].smallest].gpus);
  CHECK(other->wall <= Seconds(60 * 86400));
  CHECK(other->global_batch / (other->gpus / 16) % 4 == 0);
}

// Half of the runs on the smallest size miss the deadline.
TEST_CASE("beside the smallest size one that surely ends in time is shown, and stands first") {
  const auto at_120 = answered("{" + llama("720") + R"(, "gpus": 120})");
  const Seconds deadline = at_120->answer.options[0].outcome.wall * 1.01;
  const auto a = answered(plan_of(llama("720"), within(std::to_string(deadline / kDay))));
  const OptionAnswer& smallest = a->answer.options[*a->answer.requirements[0].smallest];
  const OptionAnswer& first = a->answer.options[a->answer.ranked[0]];
  CHECK(smallest.gpus == 120);
  CHECK(first.gpus > 120);
  CHECK(first.range.wall.high <= deadline);
  CHECK(smallest.range.wall.high > deadline);
}

TEST_CASE("progress tells of each size, and never of more than there are") {
  PlanContext context = testing::shipped_context();
  std::vector<std::int64_t> done;
  std::int64_t all = 0;
  context.progress = [&](std::int64_t n, std::int64_t total) {
    done.push_back(n);
    all = total;
    CHECK(n < total);
  };
  const std::string text = plan_of(llama("720"), within("33"));
  const CapacityPlan plan = read_plan(parse_json(text, "plan.json"), "plan.json", context);
  const CapacityAnswer a = answer(plan, context);
  CHECK(done.size() == static_cast<std::size_t>(a.sizes_tried.at(0).tried));
  CHECK(std::is_sorted(done.begin(), done.end()));
  CHECK(all == static_cast<std::int64_t>(ladder_sizes(plan.options[0], context).rungs.size()));
}

// A search tries sizes between two rungs, so that it tries more than its rungs.
TEST_CASE("progress does not go back from one option to the next") {
  PlanContext context = testing::shipped_context();
  std::vector<double> shares;
  context.progress = [&](std::int64_t n, std::int64_t total) {
    shares.push_back(static_cast<double>(n) / static_cast<double>(total));
  };
  const std::string text = R"({"run": {"model": "turing-nlg-17.2b",
      "training": {"sequence_length": 1024, "global_batch": 720, "tokens": 2e11},
      "framework": "fused"}, "gpus": "smallest",
      "search": {"axes": {"cp": 1, "micro_batch": 1, "zero": 1, "recompute": "full"}},
      "scenarios": [{"name": "a", "cluster": {"node": "dgx-a100-80gb"}},
                    {"name": "b", "cluster": {"node": "dgx-h100"}}], )" +
                           within("10.7") + "}";
  const CapacityPlan plan = read_plan(parse_json(text, "plan.json"), "plan.json", context);
  const CapacityAnswer a = answer(plan, context);
  REQUIRE(a.sizes_tried.size() == 2);
  CHECK(std::is_sorted(shares.begin(), shares.end()));
  CHECK(shares.back() < 1);
}

TEST_CASE("sizes beyond the power are counted, and the smallest of them alone is tried") {
  const auto a =
      answered(plan_of(llama("720"), R"("require": {"deadline": "60 d", "power": "200 W"})"));
  const SizesTried& t = a->answer.sizes_tried.at(0);
  CHECK(t.tried == 1);
  CHECK(t.least == t.most);
  CHECK(t.beyond_power > 1);
}

TEST_CASE("a limit of power without a deadline is used up") {
  const std::string text = plan_of(llama("720"), R"("require": {"power": "99 kW"})");
  const PlanContext context = testing::shipped_context();
  const CapacityPlan plan = read_plan(parse_json(text, "plan.json"), "plan.json", context);
  std::int64_t most = 0;
  for (std::int64_t gpus = 1; gpus <= 144; ++gpus) {
    const OptionAnswer o = answer_option(plan, plan.options[0], gpus, context);
    if (o.status != OptionStatus::fits) continue;
    if (standing(plan.requirements[0], o) == Standing::meets) most = gpus;
  }
  const auto a = answered(text);
  const RequirementAnswer& r = a->answer.requirements[0];
  REQUIRE(r.smallest);
  CHECK(most > 8);
  CHECK(a->answer.options[*r.smallest].gpus == most);
}

// Few GPUs recompute more and many wait more: the cheapest is neither the least nor the most.
TEST_CASE("within a budget the cheapest of all sizes is shown beside the largest") {
  const std::string text = plan_of(llama("720"), R"("require": {"budget": "150000 USD"},
        "prices": {"gpus": {"h100-sxm5-80gb": {"rent": {"value": "2 USD/h", "source": "s", "date": "2026-11"}}}})");
  const PlanContext context = testing::shipped_context();
  const CapacityPlan plan = read_plan(parse_json(text, "plan.json"), "plan.json", context);
  double least = 0;
  for (std::int64_t gpus = 1; gpus <= 720; ++gpus) {
    const OptionAnswer o = answer_option(plan, plan.options[0], gpus, context);
    if (o.status != OptionStatus::fits) continue;
    const double cost = o.outcome.cost->amount();
    if (least == 0 || cost < least) least = cost;
  }
  const auto a = answered(text);
  REQUIRE(least > 0);
  // The cheapest leads in one class of chance; a larger size may be surer to fit.
  double shown = a->answer.options[a->answer.ranked[0]].outcome.cost->amount();
  for (const std::size_t i : a->answer.ranked) {
    shown = std::min(shown, a->answer.options[i].outcome.cost->amount());
  }
  CHECK(shown == testing::about(least));
}

TEST_CASE("searched sizes are whole nodes and what divides one, each tried where it may be least") {
  const std::string run =
      R"("run": {"model": "turing-nlg-17.2b", "cluster": {"node": "dgx-a100-80gb"},
          "training": {"sequence_length": 1024, "global_batch": 720, "tokens": 2e11}, "framework": "fused"},
         "search": {"axes": {"cp": 1, "micro_batch": 1, "zero": 1, "recompute": "full"}})";
  const std::string text = plan_of(run, within("10.7"));
  const std::int64_t least = by_brute_force(text, 8, 400);
  const auto a = answered(text);
  const RequirementAnswer& r = a->answer.requirements[0];
  REQUIRE(r.smallest);
  CHECK(a->answer.options[*r.smallest].gpus == least);
  CHECK(least == 216);  // 27 nodes: no part of the batch, nor 2ⁿ or 3·2ⁿ
}

TEST_CASE("a run's own size is tried, whatever the layout would take") {
  const auto a = answered(plan_of(llama("720"), within("1")));
  const RequirementAnswer& r = a->answer.requirements[0];
  CHECK_FALSE(r.smallest);
  REQUIRE(r.nearest);
  CHECK(a->answer.options[*r.nearest].gpus == 720);  // one sequence a GPU: the most there are
  const PlanContext context = testing::shipped_context();
  const CapacityPlan odd = read_plan(parse_json(plan_of(R"("run": "opt-175b-992-a100",
          "set": {"cluster.gpus": 1000})",
                                                        within("90")),
                                                "plan.json"),
                                     "plan.json", context);
  const LadderSizes sizes = ladder_sizes(odd.options[0], context);
  CHECK(sizes.own == 1000);
  CHECK(sizes.all == std::vector<std::int64_t>{8, 16, 32, 248, 496, 992, 1000});
  CHECK(sizes.rungs == sizes.all);
}

TEST_CASE("every phase and every step of a ramp takes the size") {
  const PlanContext context = testing::shipped_context();
  const auto sizes = [&](const std::string& text) {
    const CapacityPlan plan = read_plan(parse_json(text, "plan.json"), "plan.json", context);
    return ladder_sizes(plan.options[0], context).all;
  };
  CHECK(sizes("{" + llama("12") + R"(, "gpus": "smallest", "batch_ramp": [
      {"global_batch": 8, "tokens": 1e9}]})") == std::vector<std::int64_t>{1, 2, 4, 8});
  CHECK(sizes("{" + llama("12") + R"(, "gpus": "smallest", "phases": [{"name": "a"},
      {"name": "b", "set": {"parallel.tp": 2}}]})") == std::vector<std::int64_t>{2, 4, 6, 8, 12});
  CHECK(sizes("{" + llama("12") + R"(, "gpus": "smallest", "set": {"parallel.dp": 8}})") ==
        std::vector<std::int64_t>{8});
}

TEST_CASE("sizes that the cluster is not described for are refused, not an error") {
  std::string run = llama("720");
  run.replace(run.find(R"("gpus": 8)"), 9,
              R"("gpus": 16, "fabric": {"kind": "fat-tree", "pod": 2, "nodes": 4})");
  const auto a = answered(plan_of(run, within("30")));
  const RequirementAnswer& r = a->answer.requirements[0];
  REQUIRE(r.nearest);
  CHECK(a->answer.options[*r.nearest].gpus == 30);  // 36 are more than 4 nodes
  CHECK(a->answer.sizes_tried.at(0).most == 720);
}

TEST_CASE("where every size is refused, the run's own and the one nearest to a fit are shown") {
  const auto a = answered(plan_of(
      R"("run": {"model": "gpt3-175b", "cluster": {"node": "dgx-a100-80gb", "gpus": 24},
          "training": {"sequence_length": 2048, "global_batch": 64, "tokens": 1e9},
          "parallel": {"tp": 1, "zero": 0, "recompute": "full"}})",
      within("60")));
  CHECK(a->answer.ranked.empty());
  REQUIRE(a->answer.options.size() == 2);
  CHECK(a->answer.options[0].status == OptionStatus::does_not_fit);
  CHECK(a->answer.options[1].gpus == 24);
  CHECK(a->answer.options[1].status == OptionStatus::illegal);
  CHECK(a->answer.sizes_tried.at(0).tried == a->answer.sizes_tried.at(0).refused);
}

}  // namespace
}  // namespace orrery
