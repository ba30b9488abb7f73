// SPDX-License-Identifier: Apache-2.0
// The costs of a stage from prices of round numbers, added up by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "estimate/round_prices.h"
#include "estimate/sharding.h"
#include "estimate/stage.h"
#include "support/about.h"

namespace orrery {
namespace {

using namespace testing;

void expose(BlockPrice<double>& b, Phase p, double tp, double etp, double cp, double ep) {
  ExposedExchanges<double>& e = b.exposed[p];
  e.by_group[ExchangeGroup::tp] = Seconds(tp);
  e.by_group[ExchangeGroup::etp] = Seconds(etp);
  e.by_group[ExchangeGroup::cp] = Seconds(cp);
  e.by_group[ExchangeGroup::ep] = Seconds(ep);
  e.all = Seconds(tp + etp + cp + ep);
}

}  // namespace

// Four layers, of which three run their forward again and one some modules: forward 4·1, backward
// 4·2, recompute 1·3 + 3·5.
TEST_CASE("a stage takes the passes of its blocks, and those that run again") {
  const StageCosts<double> s = costs_of(bare_run(), round_prices(), 4, 3);
  CHECK(s.forward[Term::compute].si() == about(4.0));
  CHECK(s.backward[Term::compute].si() == about(8.0));
  CHECK(s.forward[Term::recompute] == Seconds());
  CHECK(s.backward[Term::recompute].si() == about(18.0));
  CHECK(s.weight_time.si() == about(3.0));
  CHECK(s.forward_time.si() == about(4.0));
  CHECK(s.backward_time.si() == about(26.0));
  CHECK(s.recomputed.si() == about(7.0 + 3 * 11.0));
}

TEST_CASE("exchanges that show are of their dimension, experts' tensor ranks those of tp") {
  Prices<double> prices = round_prices();
  BlockPrice<double>& b = prices.blocks[BlockType::layer_0];
  expose(b, Phase::forward, 0.1, 0.2, 0.3, 0.4);
  expose(b, Phase::backward, 0.01, 0.02, 0.03, 0.04);
  expose(b, Phase::recompute_selective, 1, 2, 3, 4);
  expose(b, Phase::recompute_full, 10, 20, 30, 40);
  const StageCosts<double> s = costs_of(bare_run(), prices, 4, 3);
  CHECK(s.forward[Term::tp_exposed].si() == about(4 * 0.3));
  CHECK(s.forward[Term::cp_exposed].si() == about(4 * 0.3));
  CHECK(s.forward[Term::ep_exposed].si() == about(4 * 0.4));
  CHECK(s.backward[Term::tp_exposed].si() == about(4 * 0.03 + 3 + 3 * 30));
  CHECK(s.backward[Term::cp_exposed].si() == about(4 * 0.03 + 3 + 3 * 30));
  CHECK(s.backward[Term::ep_exposed].si() == about(4 * 0.04 + 4 + 3 * 40));
  CHECK(s.forward_time.si() == about(4 + 4.0));
}

// 2 GB of weights' gradients: the sum of 4 bytes is read and written, the gradient of 2 read once
// more.
TEST_CASE("a kernel of its own adds a gradient to its sum in ten bytes an element") {
  const Run run = bare_run();
  Prices<double> prices = round_prices();
  prices.blocks[BlockType::layer_0].parameters.dense = kParameters;
  const double added = memory_seconds(run, 10e9);
  const StageCosts<double> s = costs_of(run, prices, 2, 0);
  CHECK(s.backward[Term::compute].si() == about(2 * (2 + added)));
  CHECK(s.weight_time.si() == about(2 * (0.75 + added)));
}

// The epilogue reads 6 bytes more than the product's own store of 2, and takes 0.74/0.70 as long
// for 6: half of that part for 3.
TEST_CASE("a product that adds by itself takes as much longer as its epilogue reads more") {
  Run run = bare_run();
  run.framework.gradients.fused_accumulation = true;
  const auto longer = [&] { return costs_of(run, round_prices(), 1, 0).weight_time.si() / 0.75; };
  CHECK(longer() == about(0.74 / 0.70));
  run.training.recipe.gradients = 2.5;
  CHECK(longer() == about(1 + 0.5 * (0.74 / 0.70 - 1)));
  run.training.recipe.gradients = 0.5;
  CHECK(longer() == about(1.0));
  // Where the sum alone takes longer than the product, it is what is waited for.
  run.training.recipe.gradients = 4;
  Prices<double> prices = round_prices();
  prices.blocks[BlockType::layer_0].parameters.dense = 1000 * kParameters;
  CHECK(costs_of(run, prices, 1, 0).weight_time.si() == about(memory_seconds(run, 8e12)));
}

TEST_CASE("gradients that are reduced in every micro batch are summed as shards") {
  const auto summed = [](const char* strategy) {
    const Run run = bare_run(strategy);
    Prices<double> prices = round_prices();
    prices.blocks[BlockType::layer_0].parameters.dense = kParameters;
    return (costs_of(run, prices, 1, 0).weight_time.si() - 0.75) / memory_seconds(run, 10e9);
  };
  CHECK(summed(R"({"parallel": {"zero": 1}})") == about(1.0));
  // A stream of eight shards: to a memory_time of an eighth belongs less than an eighth of the
  // rest.
  const Run run = bare_run(R"({"framework": "fsdp", "parallel": {"zero": 3}})");
  CHECK(summed(R"({"framework": "fsdp", "parallel": {"zero": 3}})") ==
        about(memory_seconds(run, 10e9 / 8) / memory_seconds(run, 10e9)));
}

// 100, 200, 300 and 500 launches of 12 ms take 1.2, 2.4, 3.6 and 6 s: of four layers, one
// runs some modules again. Forward waits 4·0.2. Backward with these is 500 launches, 6 s over 5 s;
// with the whole forward again 700, 8.4 s over 7 s.
TEST_CASE("a pass waits for the launches of its kernels") {
  Run run = bare_run();
  run.framework.host.launch = Seconds(12e-3);
  const StageCosts<double> s = costs_of(run, round_prices(), 4, 3);
  CHECK(s.forward[Term::host_exposed].si() == about(4 * 0.2));
  CHECK(s.backward[Term::host_exposed].si() == about(1 * 1.0 + 3 * 1.4));
  run.framework.host.launch = Seconds(9e-3);
  CHECK(costs_of(run, round_prices(), 4, 3).forward[Term::host_exposed] == Seconds());
}

// Where the host reads counts, each part of a forward takes the longer: 60 of 100 launches of 12 ms
// are 0.72 s over 0.3 s of the device; the others 0.48 s, hidden under 0.7 s; the read 1 ms.
TEST_CASE("a host that reads counts waits in the middle of a forward pass") {
  Run run = bare_run();
  run.framework.host.launch = Seconds(12e-3);
  run.framework.experts.waits = 2;
  run.framework.experts.wait = Seconds(0.5e-3);
  Prices<double> prices = round_prices();
  prices.blocks[BlockType::layer_0].before_wait[Phase::forward] = {60, Seconds(0.3)};
  const StageCosts<double> s = costs_of(run, prices, 4, 0);
  CHECK(s.forward[Term::host_exposed].si() == about(4 * (0.72 - 0.3 + 1e-3)));
}

// A core that takes 2.6 times as long: 100 launches of 12 ms are 3.12 s over 1 s.
TEST_CASE("launches take as long as the node's processor makes them") {
  Run run = bare_run();
  run.framework.host.launch = Seconds(12e-3);
  run.cluster.host.launch_factor = 2.6;
  CHECK(costs_of(run, round_prices(), 4, 0).forward[Term::host_exposed].si() ==
        about(4 * (3.12 - 1)));
}

// One of each: 200 launches over 2 s, 500 over 5 s, 700 over 7 s.
TEST_CASE("layers that run nothing again, modules and all wait each as long as their own pass") {
  Run run = bare_run();
  run.framework.host.launch = Seconds(12e-3);
  BlockCounts blocks{};
  RecomputedBlocks again;
  blocks[BlockType::layer_0] = 3;
  again.full[BlockType::layer_0] = again.selective[BlockType::layer_0] = 1;
  const StageCosts<double> s = stage_costs<double>(run, round_prices(), blocks, again);
  CHECK(s.backward[Term::recompute].si() == about(3.0 + 5.0));
  CHECK(s.backward[Term::host_exposed].si() == about(0.4 + 1.0 + 1.4));
  CHECK(s.recomputed.si() == about(7.0 + 11.0));
}

// Two calls around a forward pass, three around a backward one: of the layer, or of each of seven
// modules and the four that hold them. 1.2 s of launches and their hooks of 0.1 s over 1 s.
TEST_CASE("hooks of sharded weights are called by layers or by modules") {
  Run run = bare_run(R"({"parallel": {"zero": 3}})");
  run.framework.host.launch = Seconds(12e-3);
  run.framework.host.hook = Seconds(0.1);
  run.framework.host.containers = 4;
  Prices<double> prices = round_prices();
  prices.blocks[BlockType::layer_0].modules = 7;
  CHECK(costs_of(run, prices, 4, 0).forward[Term::host_exposed].si() == about(4 * (0.2 + 0.2)));
  run.framework.gathers.max_live = 1000;
  CHECK(costs_of(run, prices, 4, 0).forward[Term::host_exposed].si() == about(4 * (0.2 + 2.2)));
}

namespace {

// Sharded weights whose gather takes `ratio` of a forward pass of 1 s.
struct Gathered {
  Run run = bare_run(R"({"framework": "fsdp", "parallel": {"zero": 3}})");
  Prices<double> prices = round_prices();
  double gather = 0;
  double reduce = 0;

  Gathered() {
    BlockPrice<double>& b = prices.blocks[BlockType::layer_0];
    b.parameters.dense = b.largest_module.dense = kParameters;
    gather = gather_weights<double>(run, ShardedStates::dense, kParameters, Bytes(), 8).time().si();
    reduce = reduce_gradients<double>(run, ShardedStates::dense, kParameters, 1, 8).time().si();
    // Passes as long as the gather, so that a norm of 2 joins both to √2 of it.
    b.compute[Phase::forward] = Seconds(gather);
  }
  double forward() const { return costs_of(run, prices, 3, 0).forward[Term::dp_exposed].si(); }
  double backward() const { return costs_of(run, prices, 3, 0).backward[Term::dp_exposed].si(); }
};

}  // namespace

TEST_CASE("weights that are gathered in the open show whole, once a pass") {
  Gathered g;
  REQUIRE(g.gather > 0);
  CHECK(g.forward() == about(3 * g.gather));
  CHECK(g.backward() == about(3 * (g.gather + g.reduce)));
  g.run.framework.gathers.kept = mask_of(KeptGathered::layers);
  CHECK(g.backward() == about(3 * g.reduce));
}

TEST_CASE("a gather beside a pass as long joins it by the norm") {
  Gathered g;
  g.run.framework.overlap.param_gather = true;
  CHECK(g.forward() == about(3 * (std::sqrt(2.0) - 1) * g.gather));
  // Backward gathers in the open without a prefetch of its own.
  CHECK(g.backward() == about(3 * (g.gather + g.reduce)));
  // Both run for 1 + 1 − √2 of it, of which a tenth is lost.
  g.run.framework.overlap.slowdown = 0.1;
  CHECK(g.forward() == about(3 * (std::sqrt(2.0) - 1 + 0.1 * (2 - std::sqrt(2.0))) * g.gather));
}

// A quarter of the module comes ahead: √(1 + 1/16) − 1 beside the pass, three quarters in the open.
TEST_CASE("what a module has beyond the prefetch limit is gathered in the open") {
  Gathered g;
  g.run.framework.overlap.param_gather = true;
  g.run.framework.gathers.prefetch_limit = kParameters / 4;
  CHECK(g.forward() == about(3 * (std::sqrt(1 + 1.0 / 16) - 1 + 0.75) * g.gather));
  g.run.framework.gathers.prefetch_limit = kParameters;
  CHECK(g.forward() == about(3 * (std::sqrt(2.0) - 1) * g.gather));
}

TEST_CASE("a reduction beside backward joins it by the norm") {
  Gathered g;
  g.run.framework.overlap.grad_reduce = true;
  g.run.framework.gathers.kept = mask_of(KeptGathered::layers);
  // Backward and what runs again in it take 2 + 3 s, and adding up the shards.
  const double pass = 5 + memory_seconds(g.run, kParameters * 10.0 / 8);
  CHECK(g.backward() == about(3 * (std::hypot(pass, g.reduce) - pass)).epsilon(1e-6));
}

TEST_CASE("copies of gathered weights and of gradients stand beside no other work") {
  Gathered g;
  const StageCosts<double> without = costs_of(g.run, g.prices, 3, 0);
  g.run.framework.gathers.copy_bytes = 4;
  g.run.framework.gradients.copy_bytes = 6;
  g.run.framework.gathers.host_wait = Seconds(0.01);
  const StageCosts<double> with = costs_of(g.run, g.prices, 3, 0);
  const double copied = memory_seconds(g.run, 4e9);
  CHECK((with.forward[Term::compute] - without.forward[Term::compute]).si() == about(3 * copied));
  CHECK((with.backward[Term::compute] - without.backward[Term::compute]).si() ==
        about(3 * (copied + memory_seconds(g.run, 6e9))));
  CHECK(with.forward[Term::host_exposed].si() == about(0.03));
  CHECK(with.backward[Term::host_exposed].si() == about(0.03));
  // A block that is not gathered again waits and copies forward alone.
  g.run.framework.gathers.kept = mask_of(KeptGathered::layers);
  const StageCosts<double> kept = costs_of(g.run, g.prices, 3, 0);
  CHECK(kept.backward[Term::host_exposed] == Seconds());
}

TEST_CASE("the last stage holds the table for predictions ahead, tied or its own") {
  Run run = bare_run(R"({"parallel": {"pp": 2}, "training": {"global_batch": 16}})");
  Prices<double> prices;
  const auto give = [&](BlockType b, std::int64_t alone, std::int64_t with_copy) {
    prices.blocks[b].parameters.dense = alone;
    prices.blocks[b].parameters_with_copy.dense = with_copy;
  };
  give(BlockType::layer_0, 100, 100);
  give(BlockType::embedding, 1000, 1000);
  give(BlockType::head, 1, 1001);  // the norm, and with a copy the tied table
  give(BlockType::mtp, 50, 60);
  BlockCounts last{};
  last[BlockType::layer_0] = 3;
  last[BlockType::head] = 1;
  CHECK(stage_parameters<double>(run, prices, last).dense == 300 + 1001);
  last[BlockType::mtp] = 1;
  CHECK(stage_parameters<double>(run, prices, last).dense == 300 + 1001 + 50 + 1000);
  run.model.tie_word_embeddings = true;
  CHECK(stage_parameters<double>(run, prices, last).dense == 300 + 1001 + 50);
  // One stage alone has the table already.
  run.strategy.pp = 1;
  run.model.tie_word_embeddings = false;
  CHECK(stage_parameters<double>(run, prices, last).dense == 300 + 1 + 50);
}

}  // namespace orrery
