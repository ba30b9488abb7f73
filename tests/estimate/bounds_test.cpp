// SPDX-License-Identifier: Apache-2.0
// Bounds of a step that a search knows before it sweeps it, and the end of a step, from prices of
// round numbers.
#include <doctest/doctest.h>

#include <vector>

#include "estimate/busy_stage.h"
#include "estimate/classes.h"
#include "estimate/end_of_step.h"
#include "estimate/links.h"
#include "estimate/offload.h"
#include "estimate/pipeline_time.h"
#include "estimate/round_prices.h"
#include "estimate/stage_contents.h"
#include "support/about.h"

namespace orrery {
namespace {

// Two stages of 16 layers, eight micro batches.
Run two_stages(ScheduleId schedule = ScheduleId::one_f_one_b) {
  Run run = testing::bare_run(R"({"parallel": {"pp": 2}, "training": {"global_batch": 32}})");
  run.strategy.schedule = schedule;
  return run;
}

// A workspace as fill_classes() leaves it, for these prices and with free sends.
Workspace workspace_of(const Run& run, const Prices<double>& prices) {
  Workspace w;
  w.prices = prices;
  fill_parts<double>(run, w);
  fill_costs<double>(run, w);
  w.send_forward.assign(w.class_of.size() - 1, Seconds());
  w.send_backward = w.send_forward;
  return w;
}

// A layer takes 1 s forward and 2 back, with exchanges of experts that show for so long each way.
Prices<double> with_experts(double shown) {
  Prices<double> prices = testing::round_prices();
  BlockPrice<double>& b = prices.blocks[BlockType::layer_0];
  for (const Phase p : {Phase::recompute_selective, Phase::recompute_full}) b.compute[p] = {};
  for (const Phase p : {Phase::forward, Phase::backward}) {
    b.exposed[p].by_group[ExchangeGroup::ep] = b.exposed[p].all = Seconds(shown);
  }
  return prices;
}

std::vector<int> classes_of(const Run& run) {
  Workspace w;
  fill_parts<double>(run, w);
  return {w.class_of.begin(), w.class_of.end()};
}

std::vector<std::int64_t> distinct_of(const Run& run) {
  Workspace w;
  fill_parts<double>(run, w);
  return w.distinct;
}

Run four_stages(const char* change) {
  return testing::bare_run(
      testing::with(
          testing::json_of(R"({"parallel": {"pp": 4}, "training": {"global_batch": 32}})"), change)
          .dump()
          .c_str());
}

}  // namespace

// Stages of a pass are 16·(1 + 2 + 5) = 128 s: nothing runs in part; m + p − 1 = 9 of them are on
// the way.
TEST_CASE("equal stages under 1F1B take what no order beats") {
  const Run run = two_stages();
  Workspace w = workspace_of(run, testing::round_prices());
  CHECK(least_pipeline(run, w).si() == testing::about(9 * 128.0));
  const PipelineTime<double> t = pipeline_time<double>(run, w);
  CHECK(t.all.si() == testing::about(9 * 128.0));
  CHECK(t.free == t.all);
  CHECK(busy_time<double>(run, w, 1, 8).si() == testing::about(8 * 128.0));
  CHECK(busiest_stage<double>(run, w, 8) == 0);
}

TEST_CASE("sends make a pipeline longer, and the same with free ones is kept beside") {
  const Run run = two_stages();
  Workspace w = workspace_of(run, testing::round_prices());
  w.send_forward = {Seconds(2)};
  w.send_backward = {Seconds(3)};
  const PipelineTime<double> t = pipeline_time<double>(run, w);
  CHECK(t.free.si() == testing::about(9 * 128.0));
  CHECK(t.all > t.free + Seconds(4.9));
  // Asked again, they are those that are known.
  w.send_forward = {Seconds(20)};
  CHECK(pipeline_time<double>(run, w).all == t.all);
}

TEST_CASE("the stage with the most work is the busiest, and its passes are the windows") {
  const Run run = two_stages();
  Prices<double> prices = testing::round_prices();
  prices.blocks[BlockType::head].compute[Phase::forward] = Seconds(4);
  prices.blocks[BlockType::head].compute[Phase::backward] = Seconds(6);
  Workspace w = workspace_of(run, prices);
  CHECK(busiest_stage<double>(run, w, 8) == 1);
  CHECK(busy_time<double>(run, w, 1, 8).si() == testing::about(8 * 138.0));
  const OverlapWindows<double> windows = windows_of<double>(run, w, 1);
  CHECK(windows.forward.si() == testing::about(16 + 4.0));
  CHECK(windows.backward.si() == testing::about(112 + 6.0));
}

// A pair of 16·(1 + 2) s hides exchanges of 16·0.5 s each way; a step of four micro
// batches through each of two copies takes no less than 2·4 pairs.
TEST_CASE("a pair hides the exchanges of experts under the compute of the other pass") {
  const Run run = two_stages(ScheduleId::dualpipe);
  CHECK(has_pairs(run));
  const Workspace w = workspace_of(run, with_experts(0.5));
  CHECK(w.hidden[0].si() == testing::about(16.0));
  CHECK(w.pair[0].si() == testing::about(16 * 3.0));
  CHECK(least_pipeline(run, w).si() == testing::about(8 * 16 * 3.0));
  // No more than there is compute: 16·3 of 16·8 s.
  CHECK(workspace_of(run, with_experts(4)).hidden[1].si() == testing::about(16 * 3.0));
  CHECK(workspace_of(run, with_experts(0)).hidden[0] == Seconds());
  CHECK_FALSE(has_pairs(two_stages(ScheduleId::zb_h1)));
}

TEST_CASE("a stage of pairs is busy for its passes less what its pairs hide") {
  const Run run = two_stages(ScheduleId::dualpipe);
  Workspace w = workspace_of(run, with_experts(0.5));
  const SweepGraph& graph = w.pipeline.graphs.of(schedule_of(run), pipeline_shape(run));
  const auto pairs = static_cast<double>(graph.pairs_of(0, 0) + graph.pairs_of(0, 1));
  REQUIRE(pairs > 0);
  CHECK(hidden_by_pairs<double>(run, w, 0).si() == testing::about(16 * pairs));
  CHECK(busy_time<double>(run, w, 0, 4).si() == testing::about(4 * 2 * 16 * 4 - 16 * pairs));
}

TEST_CASE("passes of a split backward are its two gradients") {
  const Run run = two_stages(ScheduleId::zb_h1);
  const Workspace w = workspace_of(run, testing::round_prices());
  CHECK(w.weight_gradient[0].si() == testing::about(16 * 0.75));
  CHECK(w.input_gradient[0].si() == testing::about(112 - 16 * 0.75));
  // A stage computes all its micro batches.
  CHECK(least_pipeline(run, w).si() == testing::about(8 * 128.0));
}

TEST_CASE("blocks take their share of every stage, whatever the layout") {
  Run run = two_stages();
  Prices<double> prices = testing::round_prices();
  prices.blocks[BlockType::head].compute[Phase::forward] = Seconds(4);
  prices.blocks[BlockType::head].compute[Phase::recompute_full] = Seconds(100);  // never runs
  BlockCounts blocks{};
  blocks[BlockType::layer_0] = 32;
  blocks[BlockType::head] = 1;
  const auto least = [&] { return least_of_blocks(run, prices, blocks).si(); };
  CHECK(least() == testing::about((32 * 8 + 4) * 8.0 / 2));
  run.strategy.recompute_method = RecomputeMethod::block;
  CHECK(least() == testing::about((32 * 3 + 4) * 8.0 / 2));
  run.strategy.recompute_method = RecomputeMethod::uniform;
  run.strategy.recompute = Recompute::selective;
  CHECK(least() == testing::about((32 * 6 + 4) * 8.0 / 2));
  // The first eight layers run again in full, two not at all, the others in part.
  run.strategy.layers.rules[0] = {0, 8, LayerKindOf::any, Recompute::full};
  run.strategy.layers.rules[1] = {30, 32, LayerKindOf::any, Recompute::none};
  run.strategy.layers.count = 2;
  CHECK(least() == testing::about((8 * 8 + 2 * 3 + 22 * 6 + 4) * 8.0 / 2));
}

// 18 bytes a parameter, of 32 layers of which two stages have a half each.
TEST_CASE("no layout fits where the states of a mean stage do not") {
  Run run = two_stages();
  Prices<double> prices = testing::round_prices();
  prices.blocks[BlockType::layer_0].parameters.dense = 100'000'000;
  BlockCounts blocks{};
  blocks[BlockType::layer_0] = 32;
  run.framework.gradients = {};
  run.framework.update = {};
  const auto fits_nowhere = [&](double capacity) {
    run.cluster.device.memory_capacity = Bytes(capacity);
    return no_layout_fits(run, prices, blocks);
  };
  CHECK(fits_nowhere(18 * 1.59e9));
  CHECK_FALSE(fits_nowhere(18 * 1.6e9));
  prices.blocks[BlockType::layer_0].parameters = {};
  prices.blocks[BlockType::layer_0].parameters.expert = 100'000'000;
  CHECK(fits_nowhere(18 * 1.59e9));
  CHECK_FALSE(fits_nowhere(18 * 1.6e9));
  // Gradients that are freed in part, or copies in the update, may peak at other moments.
  run.framework.gradients.freed_with_step = true;
  CHECK_FALSE(fits_nowhere(1e9));
  run.framework.gradients.freed_with_step = false;
  run.framework.update.moment_lists = 1;
  CHECK_FALSE(fits_nowhere(1e9));
}

TEST_CASE("a step takes its micro batches, its end and what is fixed, at the stack's level") {
  Run run = two_stages();
  run.framework.level.factor = 2;
  run.framework.level.interval_low = 0.5;
  run.framework.level.interval_high = 3;
  run.framework.host.step_overhead = Seconds(0.25);
  CHECK(least_step(run, Seconds(13)).si() == testing::about(26.5));
  Workspace w = workspace_of(run, testing::round_prices());
  Answer a;
  answer_least(run, w, Seconds(5000), 0.5, a);  // of the first stage, which is done last
  const Seconds end = last_stage_done<double>(run, w, {}).time;
  CHECK(a.step_time.si() == testing::about(5000.25 + end.si()));
  CHECK(a.interval_low.si() == testing::about(0.5 * a.step_time.si()));
  CHECK(a.interval_high.si() == testing::about(3 * a.step_time.si()));
  CHECK(a.model_flops.si() == testing::about(run.model_flops.si() / 8));
  CHECK(a.peak_rate == peak_of(run.cluster.device, run.training.precision));
}

TEST_CASE("an answer of the memory alone has no times") {
  const Run run = two_stages();
  Workspace w = workspace_of(run, testing::round_prices());
  Answer a = estimate(run);
  REQUIRE(a.step_time > Seconds());
  answer_memory(run, w, a);
  CHECK(a.step_time == Seconds());
  CHECK(a.interval_low == Seconds());
  CHECK(a.interval_high == Seconds());
  CHECK(a.model_flops == Flops());
  CHECK(a.peak_rate == FlopsPerSecond());
}

// Both stages overlap alike, so the one with more parameters updates longer.
TEST_CASE("the stage with the most to update and reduce is done last") {
  const Run run = two_stages();
  Prices<double> prices = testing::round_prices();
  const auto last = [&](BlockType larger) {
    for (const BlockType end : {BlockType::embedding, BlockType::head}) {
      BlockPrice<double>& b = prices.blocks[end];
      b.parameters.dense = b.parameters_with_copy.dense = end == larger ? 2'000'000'000 : 1000;
    }
    Workspace w = workspace_of(run, prices);
    const LastStage done = last_stage_done<double>(run, w, {});
    const StageParameters held = parameters_of_stage<double>(run, w, done.stage);
    const OptimizerTime<double> update = optimizer_time<double>(run, held);
    const Seconds shown = exposed(run, EndTraffics().of(run, held), windows_of<double>(run, w, 0));
    CHECK(done.time.si() == testing::about((update.device + update.host + shown).si()));
    return done.stage;
  };
  CHECK(last(BlockType::embedding) == 0);
  CHECK(last(BlockType::head) == 1);
}

// The head's stage ends `more` later where both begin to reduce at once.
TEST_CASE("a stage whose micro batches are done early begins its end early") {
  const Run run = two_stages();
  Prices<double> prices = testing::round_prices();
  BlockPrice<double>& head = prices.blocks[BlockType::head];
  head.parameters.dense = head.parameters_with_copy.dense = 2'000'000'000;
  Workspace w = workspace_of(run, prices);
  const std::vector<Seconds> first_alone = {Seconds(1000), Seconds()};
  const Seconds of_first = last_stage_done<double>(run, w, first_alone).time;
  const Seconds of_last = last_stage_done<double>(run, w, {}).time;
  const double more = (of_last - of_first).si();
  REQUIRE(more > 0);
  const auto last = [&](double first_later) {
    const std::vector<Seconds> done = {Seconds(5 + first_later), Seconds(5)};
    return last_stage_done<double>(run, w, done);
  };
  CHECK(last(0.9 * more).stage == 1);
  CHECK(last(0.9 * more).done == Seconds(5));
  CHECK(last(0.9 * more).time == of_last);
  CHECK(last(1.1 * more).stage == 0);
  CHECK(last(1.1 * more).time == of_first);
}

TEST_CASE("stages with the same blocks are one class, and those after one alike not distinct") {
  CHECK(classes_of(four_stages("{}")) == std::vector<int>{0, 1, 1, 2});
  CHECK(distinct_of(four_stages("{}")) == std::vector<std::int64_t>{0, 1, 3});
  const char* chunks = R"({"parallel": {"vpp": 2}})";
  CHECK(classes_of(four_stages(chunks)) == std::vector<int>{0, 1, 1, 1, 1, 1, 1, 2});
  CHECK(distinct_of(four_stages(chunks)) == std::vector<std::int64_t>{0, 1, 3});
  const char* uneven = R"({"parallel": {"stage_layers": [4, 10, 10, 8]}})";
  CHECK(classes_of(four_stages(uneven)) == std::vector<int>{0, 1, 1, 2});
  const char* all_differ = R"({"parallel": {"stage_layers": [4, 10, 9, 9]}})";
  CHECK(classes_of(four_stages(all_differ)) == std::vector<int>{0, 1, 2, 3});
  CHECK(distinct_of(four_stages(all_differ)) == std::vector<std::int64_t>{0, 1, 2, 3});
  // A class that comes again after another is found again.
  const char* again = R"({"parallel": {"vpp": 2, "stage_layers": [4, 4, 5, 4, 4, 5, 2, 4]}})";
  CHECK(classes_of(four_stages(again)) == std::vector<int>{0, 1, 2, 1, 1, 2, 3, 4});
}

namespace {

// A stage of one pass of 16 s forward and 32 s back; copies take so many seconds on the host link.
struct Streamed {
  Run run = two_stages();
  Prices<double> prices = testing::round_prices();

  Streamed() {
    run.strategy.recompute = Recompute::none;
    BlockPrice<double>& b = prices.blocks[BlockType::layer_0];
    for (const Phase p : {Phase::recompute_selective, Phase::recompute_full}) b.compute[p] = {};
    run.cluster.device.host_link.bandwidth = BytesPerSecond(1e9);
  }

  const StageCosts<double>& costs(double activations, double weights) {
    BlockPrice<double>& b = prices.blocks[BlockType::layer_0];
    b.activations.kept = b.activations.kept_all = Bytes(activations * 1e9 / 16);
    b.parameters.dense = static_cast<std::int64_t>(weights * 1e9 / 2 / 16);
    b.parameters_with_copy = b.parameters;
    w = workspace_of(run, prices);
    return class_of<double>(w, 0).costs;
  }

  Workspace w;
};

}  // namespace

TEST_CASE("copies to and from the host show as far as they are longer than the pass") {
  Streamed s;
  s.run.strategy.offload.activations = OffloadTarget::host;
  CHECK(s.costs(10, 0).forward[Term::offload_exposed] == Seconds());
  CHECK(s.costs(20, 0).forward[Term::offload_exposed].si() == testing::about(4.0));
  CHECK(s.costs(20, 0).forward_time.si() == testing::about(20.0));
  CHECK(s.costs(20, 0).backward[Term::offload_exposed] == Seconds());
  CHECK(s.costs(40, 0).backward[Term::offload_exposed].si() == testing::about(8.0));
  CHECK(s.costs(40, 0).backward_time.si() == testing::about(40.0));
}

// Forward, weights come while activations go; backward both come.
TEST_CASE("weights from the host come beside activations forward, and before them backward") {
  Streamed s;
  s.run.strategy.offload.parameters = OffloadTarget::host;
  s.run.framework.gradients.fused_accumulation = true;  // no time of its own
  s.run.training.recipe.gradients = 0;
  CHECK(s.costs(0, 20).forward[Term::offload_exposed].si() == testing::about(4.0).epsilon(1e-6));
  s.run.strategy.offload.activations = OffloadTarget::host;
  CHECK(s.costs(24, 20).forward[Term::offload_exposed].si() == testing::about(8.0).epsilon(1e-6));
  CHECK(s.costs(24, 20).backward[Term::offload_exposed].si() == testing::about(12.0).epsilon(1e-6));
  // A bound holds wherever the weights live.
  fill_least_costs(s.run, s.w, {8});
  CHECK(class_of<double>(s.w, 0).costs.backward[Term::offload_exposed] == Seconds());
  CHECK(class_of<double>(s.w, 0).costs.forward[Term::offload_exposed].si() ==
        testing::about(8.0).epsilon(1e-6));
}

}  // namespace orrery
