// SPDX-License-Identifier: Apache-2.0
// Gathers and reductions of sharded states: their messages, ranks and counts by hand.
#include "estimate/sharding.h"

#include <doctest/doctest.h>

#include "estimate/comm_lines.h"
#include "estimate/data_parallel.h"
#include "estimate/round_prices.h"
#include "network/coded_cost.h"
#include "parallel/partition.h"
#include "support/about.h"

namespace orrery {
namespace {

constexpr std::int64_t kElements = 64'000'000;

// 16 ranks on two nodes of eight, weights of 2 bytes on the wire, gradients reduced in 4.
Run sixteen_ranks(const char* change = "{}") {
  Run run = testing::bare_run(
      testing::with(testing::json_of(R"({"cluster": {"gpus": 16}, "training": {"global_batch": 16},
          "parallel": {"zero": 3}})"),
                    change)
          .dump()
          .c_str());
  run.training.recipe.gathered = 2;
  run.training.recipe.reduced = 4;
  run.framework.gathers.element_bytes = 0;
  run.framework.update.refresh_per_rank = Seconds();
  return run;
}

const CommLine<double>* line_of(const Answer& a, CommDimension d, Collective c) {
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    if (a.comm[i].dimension == d && a.comm[i].collective == c) return &a.comm[i];
  }
  return nullptr;
}

constexpr ShardedStates kDense = ShardedStates::dense;

}  // namespace

TEST_CASE("weights are gathered whole over their shards, with those that do not train") {
  const Run run = sixteen_ranks();
  const LevelMoves<double> moves = gather_weights<double>(run, kDense, kElements, Bytes(8e6), 16);
  REQUIRE(moves.count == 1);
  CHECK(moves.at[0].collective == Collective::all_gather);
  CHECK(moves.at[0].ranks == 16);
  CHECK(moves.at[0].cost.message.si() == testing::about(64e6 * 2 + 8e6));
  CHECK(moves.time() == moves.at[0].cost.time);
  // Weights that do not train are gathered alone too, nothing is not.
  CHECK(gather_weights<double>(run, kDense, 0, Bytes(8e6), 16).at[0].cost.message.si() ==
        testing::about(8e6));
  CHECK(gather_weights<double>(run, kDense, 0, Bytes(), 16).count == 0);
  CHECK(gather_weights<double>(run, kDense, kElements, Bytes(), 1).count == 0);
}

TEST_CASE("a level splits what the levels inside it left") {
  const Run run = sixteen_ranks();
  const Codec none;
  const auto message = [&](std::int64_t inner, Bytes still) {
    return level_cost<double>(run, kDense, Collective::all_gather, kElements, 2, inner, 16, none,
                              still)
        .message.si();
  };
  CHECK(message(1, Bytes()) == testing::about(128e6));
  CHECK(message(8, Bytes()) == testing::about(16e6));
  CHECK(message(8, Bytes(8e6)) == testing::about(17e6));
  CHECK(message(16, Bytes()) == 0);
}

TEST_CASE("data parallelism gets its own share of a fabric's rate") {
  Run run = sixteen_ranks();
  run.framework.network.fabric_share = 1;
  const double whole = reduce_gradients<double>(run, kDense, kElements, 1, 16).time().si();
  run.framework.network.fabric_share = 0.5;
  CHECK(reduce_gradients<double>(run, kDense, kElements, 1, 16).time().si() > 1.3 * whole);
  run.framework.network.layer_fabric_share = 0.1;  // that of the layers' collectives
  CHECK(reduce_gradients<double>(run, kDense, kElements, 1, 16).time().si() < 2.1 * whole);
}

TEST_CASE("backward gathers from the second copy where there is one") {
  Run run = sixteen_ranks();
  const auto again = [&] {
    return gather_weights_again<double>(run, kDense, kElements, Bytes(8e6), 16);
  };
  CHECK(again().at[0].ranks == 16);
  run.strategy.zeropp.hpz = 8;
  CHECK(again().at[0].ranks == 8);
  CHECK(again().at[0].cost.message.si() == testing::about(64e6 * 2 + 8e6));
  CHECK(again().at[0].cost.tier == 0);  // in the node
  // Few bits are forward's: qwZ leaves the copy as it is.
  run.strategy.zeropp.qwz = 4;
  CHECK(again().at[0].cost.message.si() == testing::about(64e6 * 2 + 8e6));
  CHECK(gather_weights<double>(run, kDense, kElements, Bytes(), 16).at[0].cost.message.si() ==
        testing::about(64e6 * 2 * 4 / 16));
}

TEST_CASE("gradients are scattered as they are reduced, from level to level") {
  const Run run = sixteen_ranks();
  const LevelMoves<double> all = reduce_gradients<double>(run, kDense, kElements, 1, 16);
  REQUIRE(all.count == 1);
  CHECK(all.at[0].collective == Collective::reduce_scatter);
  CHECK(all.at[0].ranks == 16);
  CHECK(all.at[0].cost.message.si() == testing::about(64e6 * 4));
  const LevelMoves<double> outer = reduce_gradients<double>(run, kDense, kElements, 8, 16);
  CHECK(outer.at[0].ranks == 2);
  CHECK(outer.at[0].cost.message.si() == testing::about(64e6 * 4 / 8));
  CHECK(reduce_gradients<double>(run, kDense, kElements, 16, 16).count == 0);
  CHECK(reduce_gradients<double>(run, kDense, 0, 1, 16).count == 0);
}

// ZeRO++ (arXiv:2306.10209, section 3.3): all of it inside the node, an eighth of it between nodes.
TEST_CASE("gradients in few bits take two all-to-alls, in the node and between nodes") {
  Run run = sixteen_ranks();
  run.strategy.zeropp.qgz = 4;
  const LevelMoves<double> moves = reduce_gradients<double>(run, kDense, kElements, 1, 16);
  REQUIRE(moves.count == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(moves.at[i].collective == Collective::all_to_all);
    CHECK(moves.at[i].cost.ratio == testing::about(8.0));  // 32 bits in 4
  }
  CHECK(moves.at[0].ranks == 8);
  CHECK(moves.at[0].cost.tier == 0);
  CHECK(moves.at[0].cost.message.si() == testing::about(64e6 * 4 / 8));
  CHECK(moves.at[1].ranks == 2);
  CHECK(moves.at[1].cost.tier == 1);
  CHECK(moves.at[1].cost.message.si() == testing::about(64e6 * 4 / 8 / 8));
  CHECK(moves.time().si() == testing::about((moves.at[0].cost.time + moves.at[1].cost.time).si()));
}

TEST_CASE("shards are summed over the replicas that own them") {
  const Run run = sixteen_ranks();
  const LevelMoves<double> moves = sum_over_replicas<double>(run, kDense, kElements, 4);
  REQUIRE(moves.count == 1);
  CHECK(moves.at[0].collective == Collective::all_reduce);
  CHECK(moves.at[0].ranks == 4);
  CHECK(moves.at[0].cost.message.si() == testing::about(64e6 * 4 / 4));
  CHECK(sum_over_replicas<double>(run, kDense, kElements, 16).count == 0);
  CHECK(sum_over_replicas<double>(run, kDense, kElements, 1).at[0].ranks == 16);
}

namespace {

ParametersHeld held_by_rank() {
  ParametersHeld p;
  p.dense = kElements;
  return p;
}

// The answer's lines of what one rank does at the end of a step, of which all shows.
Answer end_of_step(const Run& run, Seconds* shown = nullptr) {
  Answer a;
  const Seconds time =
      data_parallel_time<double>(run, StageParameters{held_by_rank()}, {}, {a, nullptr});
  if (shown != nullptr) *shown = time;
  return a;
}

}  // namespace

// arXiv:1910.02054, section 7: plain data parallelism and ZeRO-1 move 2Ψ, ZeRO-3 nothing at the
// end of a step.
TEST_CASE("a step ends with what its sharding left to reduce and to gather") {
  const auto lines = [](const char* parallel) { return end_of_step(sixteen_ranks(parallel)); };
  const Answer plain = lines(R"({"parallel": {"zero": 0}})");
  REQUIRE(plain.comm_count == 1);
  CHECK(plain.comm[0].collective == Collective::all_reduce);
  CHECK(plain.comm[0].ranks == 16);
  CHECK(plain.comm[0].bytes.si() == testing::about(2 * 15.0 / 16 * 64e6 * 4));
  const Answer one = lines(R"({"parallel": {"zero": 1}})");
  const CommLine<double>* reduced = line_of(one, CommDimension::dp, Collective::reduce_scatter);
  const CommLine<double>* gathered = line_of(one, CommDimension::dp, Collective::all_gather);
  REQUIRE(reduced != nullptr);
  REQUIRE(gathered != nullptr);
  CHECK(reduced->bytes.si() == testing::about(15.0 / 16 * 64e6 * 4));
  CHECK(gathered->bytes.si() == testing::about(15.0 / 16 * 64e6 * 2));
  CHECK(lines(R"({"framework": "fsdp", "parallel": {"zero": 3}})").comm_count == 0);
}

TEST_CASE("what a rank's replicas share is reduced beyond its shards") {
  Run run = sixteen_ranks(R"({"parallel": {"zero": 1}})");
  run.strategy.partition.optimizer = 4;
  const Answer a = end_of_step(run);
  const CommLine<double>* scattered = line_of(a, CommDimension::dp, Collective::reduce_scatter);
  const CommLine<double>* summed = line_of(a, CommDimension::dp, Collective::all_reduce);
  REQUIRE(scattered != nullptr);
  REQUIRE(summed != nullptr);
  CHECK(scattered->ranks == 4);
  CHECK(summed->ranks == 4);
  CHECK(summed->bytes.si() == testing::about(2 * 0.75 * 64e6 * 4 / 4));
}

TEST_CASE("updated weights travel as they are kept, or as they are gathered if that is more") {
  Run run = sixteen_ranks(R"({"parallel": {"zero": 1}})");
  const auto gathered = [&] {
    const Answer a = end_of_step(run);
    return line_of(a, CommDimension::dp, Collective::all_gather)->bytes.si();
  };
  const double two = 15.0 / 16 * 64e6 * 2;
  run.training.recipe.weights = 4;
  CHECK(gathered() == testing::about(2 * two));
  run.training.recipe.weights = 1;
  CHECK(gathered() == testing::about(two));
  run.framework.gathers.element_bytes = 1;
  CHECK(gathered() == testing::about(two / 2));
}

TEST_CASE("gradients are reduced bucket by bucket") {
  Run run = sixteen_ranks(R"({"parallel": {"zero": 0}})");
  const auto count = [&](double bucket) {
    run.framework.buffers.bucket = Bytes(bucket);
    const Answer a = end_of_step(run);
    CHECK(a.comm[0].bytes.si() == testing::about(2 * 15.0 / 16 * 64e6 * 4).epsilon(1e-6));
    return a.comm[0].count;
  };
  CHECK(count(0) == 1);
  CHECK(count(128e6) == 1);  // 2 bytes of 64e6 gradients
  CHECK(count(65e6) == 1);
  CHECK(count(64e6) == 2);
  CHECK(count(16e6) == 8);
}

TEST_CASE("weights that are sent rank by rank take so long for each rank and layer") {
  Run run = sixteen_ranks(R"({"parallel": {"zero": 1}})");
  Seconds before;
  const Answer without = end_of_step(run, &before);
  run.framework.update.refresh_per_rank = Seconds(1e-3);
  Seconds after;
  const Answer with = end_of_step(run, &after);
  CHECK((after - before).si() == testing::about(16 * 32e-3));
  const auto time = [](const Answer& a) {
    return line_of(a, CommDimension::dp, Collective::all_gather)->time.si();
  };
  CHECK(time(with) - time(without) == testing::about(16 * 32e-3));
  // Lines without shards are not.
  run.strategy.partition = {};
  CHECK(end_of_step(run).comm_count == 1);
}

TEST_CASE("what shows at the end of a step is shared out by the times of its lines") {
  Run run = sixteen_ranks(R"({"parallel": {"zero": 1}})");
  run.framework.overlap.grad_reduce = true;
  run.framework.overlap.dp_share = 0;
  run.framework.overlap.dp_floor = 1;
  run.strategy.partition.optimizer = 4;  // two lines of gradients, one of weights
  Seconds shown;
  const Answer a = end_of_step(run, &shown);
  REQUIRE(a.comm_count == 3);
  Seconds sum;
  for (std::uint8_t i = 0; i < 3; ++i) {
    CHECK(a.comm[i].exposed.si() == testing::about(a.comm[i].time.si()));
    sum += a.comm[i].exposed;
  }
  CHECK(sum.si() == testing::about(shown.si()));
}

TEST_CASE("times of the end of a step are kept by sharding and parameters") {
  Run run = sixteen_ranks(R"({"parallel": {"zero": 1}})");
  EndTraffics kept;
  const auto both = [&](const ParametersHeld& p) {
    const EndTraffic t = kept.of(run, StageParameters{p});
    return (t.gradients + t.weights).si();
  };
  Seconds shown;
  end_of_step(run, &shown);
  CHECK(both(held_by_rank()) == testing::about(shown.si()));
  ParametersHeld more = held_by_rank();
  more.dense *= 2;
  CHECK(both(more) > 1.5 * both(held_by_rank()));
  more = held_by_rank();
  more.expert = kElements;
  CHECK(both(more) > 1.5 * both(held_by_rank()));
  const double sharded = both(held_by_rank());
  run.strategy.partition = {};
  CHECK(both(held_by_rank()) != sharded);
  // The cache looks at no other change before it is cleared.
  run.training.recipe.reduced = 8;
  const double stale = both(held_by_rank());
  kept.clear();
  CHECK(both(held_by_rank()) > 1.5 * stale);
}

namespace {

Prices<double> prices_of_layer() {
  Prices<double> prices;
  BlockPrice<double>& b = prices.blocks[BlockType::layer_0];
  b.parameters.dense = kElements;
  b.parameters_with_copy = b.parameters;
  return prices;
}

BlockCounts three_layers() {
  BlockCounts blocks{};
  blocks[BlockType::layer_0] = 3;
  return blocks;
}

}  // namespace

TEST_CASE(
    "sharded weights are gathered for each pass of a layer, gradients reduced after the last") {
  Run run = sixteen_ranks(R"({"framework": "fsdp"})");
  run.strategy.micro_batches = 5;
  const auto lines = [&](Pass pass) {
    return pass_traffic(run, prices_of_layer(), three_layers(), pass);
  };
  const std::vector<CommLine<double>> forward = lines(Pass::forward);
  REQUIRE(forward.size() == 1);
  CHECK(forward[0].collective == Collective::all_gather);
  CHECK(forward[0].count == 3);
  CHECK(forward[0].bytes.si() == testing::about(3 * 15.0 / 16 * 64e6 * 2));
  CHECK(lines(Pass::backward).size() == 2);
  Answer a;
  add_micro_batch_traffic<double>(run, prices_of_layer(), three_layers(), Seconds(7), {a, nullptr});
  REQUIRE(a.comm_count == 2);
  CHECK(a.comm[0].count == 2 * 3 * 5);
  CHECK(a.comm[1].collective == Collective::reduce_scatter);
  CHECK(a.comm[1].count == 3 * 5);
  CHECK((a.comm[0].exposed + a.comm[1].exposed).si() == testing::about(7.0));
  CHECK(a.comm[0].exposed / a.comm[1].exposed == testing::about(a.comm[0].time / a.comm[1].time));
  // Layers that stay gathered are gathered forward alone.
  run.framework.gathers.kept = mask_of(KeptGathered::layers);
  CHECK(lines(Pass::forward).size() == 1);
  REQUIRE(lines(Pass::backward).size() == 1);
  CHECK(lines(Pass::backward)[0].collective == Collective::reduce_scatter);
}

TEST_CASE("each of two copies of the model moves the half of the micro batches") {
  Run run = sixteen_ranks(R"({"framework": "fsdp", "parallel": {"pp": 2},
                              "training": {"global_batch": 32}})");
  run.framework.gathers.kept = 0;
  run.strategy.micro_batches = 4;
  const auto count = [&](ScheduleId schedule) {
    run.strategy.schedule = schedule;
    Answer a;
    add_micro_batch_traffic<double>(run, prices_of_layer(), three_layers(), Seconds(),
                                    {a, nullptr});
    return a.comm[0].count;
  };
  CHECK(count(ScheduleId::one_f_one_b) == 2 * 3 * 4);
  CHECK(count(ScheduleId::dualpipe) == 2 * 3 * 2);
}

TEST_CASE("replicas of shards are summed in every micro batch where the framework does so") {
  Run run = sixteen_ranks(R"({"framework": "fsdp"})");
  run.strategy.partition = {8, 8, 8};
  const auto backward = [&] {
    return pass_traffic(run, prices_of_layer(), three_layers(), Pass::backward);
  };
  CHECK(backward().size() == 2);
  run.framework.gradients.replicas_every_micro_batch = true;
  REQUIRE(backward().size() == 3);
  CHECK(backward()[2].collective == Collective::all_reduce);
  CHECK(backward()[2].ranks == 2);
  CHECK(backward()[2].bytes.si() == testing::about(3 * 2 * 0.5 * 64e6 * 4 / 8));
}

}  // namespace orrery
