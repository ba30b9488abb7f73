// SPDX-License-Identifier: Apache-2.0
// Messages between the stages of a pipeline, and what of the end of a step shows, by hand.
#include "estimate/sends.h"

#include <doctest/doctest.h>

#include "estimate/data_parallel.h"
#include "estimate/estimate.h"
#include "estimate/run.h"
#include "parallel/parameters_held.h"
#include "parallel/placement.h"
#include "support/about.h"
#include "support/runs.h"

namespace orrery {
namespace {

using testing::about;
using testing::with;

// Two sequences of 512 tokens a micro batch, 1024 wide, in 2 bytes: 2 MiB at a boundary.
Json four_stages() {
  return testing::json_of(R"({
    "model": {"name": "small", "num_hidden_layers": 8, "hidden_size": 1024,
              "num_attention_heads": 16, "vocab_size": 1000, "max_position_embeddings": 512,
              "tie_word_embeddings": true},
    "cluster": {"node": "dgx-a100-80gb", "gpus": 16},
    "training": {"sequence_length": 512, "global_batch": 64, "micro_batch": 2,
                 "precision": "fp16",
                 "states": {"weights": 2, "gradients": 4, "optimizer": 12, "reduced": 2}},
    "parallel": {"pp": 4, "tp": 2, "recompute": "none", "zero": 0}, "framework": "generic"})");
}

constexpr double kBoundary = 2.0 * 512 * 1024 * 2;

SendCost<double> first_send(const Run& run) {
  return send_cost<double>(run, place(run.strategy, tier_sizes(run.cluster)), 0);
}

}  // namespace

TEST_CASE("a stage passes on its micro batch, split by context and sequence parallelism") {
  const auto bytes = [](const char* change) {
    return boundary_bytes(testing::run_of(with(four_stages(), change))).si();
  };
  CHECK(bytes("{}") == kBoundary);
  CHECK(bytes(R"({"parallel": {"sequence_parallel": true}})") == kBoundary / 2);
  CHECK(bytes(R"({"parallel": {"cp": 2}})") == kBoundary / 2);
  CHECK(bytes(R"({"parallel": {"cp": 2, "sequence_parallel": true}})") == kBoundary / 4);
  CHECK(bytes(R"({"training": {"micro_batch": 1}})") == kBoundary / 2);
}

TEST_CASE("scatter and gather send a half over each of two ranks") {
  Run run = testing::run_of(four_stages());
  run.framework.pipeline.scatter_gather = false;
  const SendCost<double> whole = first_send(run);
  CHECK(whole.send.message.si() == kBoundary);
  CHECK(whole.gather.time == Seconds());
  CHECK(whole.gather_ranks == 1);
  CHECK(whole.time == whole.send.time);
  run.framework.pipeline.scatter_gather = true;
  const SendCost<double> half = first_send(run);
  CHECK(half.send.message.si() == kBoundary / 2);
  CHECK(half.gather.message.si() == kBoundary);
  CHECK(half.gather_ranks == 2);
  CHECK(half.time.si() == about((half.send.time + half.gather.time).si()));
  // Sequences that are split already have nothing to scatter, nor has a rank alone.
  run.strategy.sequence_parallel = true;
  CHECK(first_send(run).gather_ranks == 1);
  run.strategy.sequence_parallel = false;
  run.strategy.tp = 1;
  CHECK(first_send(run).gather_ranks == 1);
  run.strategy.pp = 1;
  CHECK(first_send(run).time == Seconds());
}

// 1000 rows are padded to 1024: 1024·1024/2 of a tensor rank, reduced in 2 bytes.
TEST_CASE("both ends of a pipeline sum the gradient of the table that they share") {
  Run run = testing::run_of(four_stages());
  run.framework.vocabulary.multiple = 128;
  run.framework.vocabulary.multiple_per_tp = false;
  CHECK(shares_embedding(run));
  CHECK(tied_embedding_cost<double>(run).message.si() == 1024.0 * 1024 / 2 * 2);
  run.model.tie_word_embeddings = false;
  CHECK_FALSE(shares_embedding(run));
  CHECK(tied_embedding_cost<double>(run).time == Seconds());
  run.model.mtp_layers = 1;  // the last stage embeds the next tokens
  CHECK(shares_embedding(run));
  run.strategy.pp = 1;
  CHECK_FALSE(shares_embedding(run));
}

// 8e6 gradients of 2 bytes, or the half of them that a rank owns of two.
TEST_CASE("two copies of the model sum the shards that their replicas left") {
  Run run = testing::run_of(four_stages());
  ParametersHeld p;
  p.dense = 8'000'000;
  CHECK(copies_cost<double>(run, p).time == Seconds());  // 1F1B has one copy
  run.strategy.schedule = ScheduleId::dualpipe;
  CHECK(copies_cost<double>(run, p).message.si() == 8e6 * 2);
  run.strategy.partition.optimizer = 2;
  CHECK(copies_cost<double>(run, p).message.si() == 4e6 * 2);
  run.strategy.pp = 1;
  CHECK(copies_cost<double>(run, p).time == Seconds());
}

// Under 1F1B with four stages the first and the last pass on a message a micro batch, the others
// one each way; interleaved, every chunk sends both ways but for the ends of the model.
TEST_CASE("a stage sends forward and back for every micro batch and chunk") {
  const auto sends = [](const char* change) {
    const Run run = testing::run_of(with(four_stages(), change));
    const Answer a = estimate(run);
    std::int64_t n = 0;
    for (std::uint8_t i = 0; i < a.comm_count; ++i) {
      const CommLine<double>& line = a.comm[i];
      if (line.dimension == CommDimension::pp && line.collective == Collective::point_to_point)
        n += line.count;
    }
    const bool is_end = a.busy_stage == 0 || a.busy_stage == 3;
    const std::int64_t one_way = n + (is_end ? run.strategy.micro_batches : 0);
    return static_cast<double>(one_way) / static_cast<double>(run.strategy.micro_batches);
  };
  CHECK(sends("{}") == 2);
  CHECK(sends(R"({"parallel": {"vpp": 2}})") == 4);
  CHECK(sends(R"({"parallel": {"stage_layers": [1, 5, 1, 1]}})") == 2);
  CHECK(sends(R"({"parallel": {"stage_layers": [1, 1, 1, 5]}})") == 2);
  CHECK(sends(R"({"parallel": {"stage_layers": [5, 1, 1, 1]}})") == 2);
}

// Four stages of four GPUs on two nodes of eight: the last one sends back inside its node, the
// third one over the network.
TEST_CASE("the last stage sends back to its neighbour, over the links between them") {
  const auto tier = [](const char* layers) {
    const std::string change = std::string(R"({"parallel": {"stage_layers": )") + layers + "}}";
    const Answer a = estimate(testing::run_of(with(four_stages(), change)));
    for (std::uint8_t i = 0; i < a.comm_count; ++i) {
      const CommLine<double>& line = a.comm[i];
      if (line.collective == Collective::point_to_point) return static_cast<int>(line.tier);
    }
    return -1;
  };
  CHECK(tier("[1, 1, 1, 5]") == 0);
  CHECK(tier("[5, 1, 1, 1]") == 0);
  CHECK(tier("[1, 5, 1, 1]") == 1);
}

// 10 s of reduction beside a backward of 12 s, of which half can hide it: 4 s show, or the floor.
TEST_CASE("the end of a step shows what its pass cannot hide, but no less than a floor") {
  Run run = testing::run_of(four_stages());
  Framework& f = run.framework;
  f.overlap.dp_share = 0.5;
  f.overlap.dp_floor = 0.1;
  const EndTraffic traffic{Seconds(10), Seconds(3)};
  const OverlapWindows<double> windows{Seconds(10), Seconds(12)};
  const auto shows = [&](bool reduce, bool gather) {
    f.overlap.grad_reduce = reduce;
    f.overlap.param_gather = gather;
    return exposed(run, traffic, windows).si();
  };
  CHECK(shows(false, false) == about(13.0));
  CHECK(shows(true, false) == about(4.0 + 3));
  CHECK(shows(false, true) == about(10 + 0.3));
  CHECK(shows(true, true) == about(4.3));
}

// Every term of the step, its interval and the times of its messages follow the stack's level.
TEST_CASE("a stack that takes twice as long takes twice of everything") {
  Run run = testing::run_of(four_stages());
  run.framework.host.step_overhead = Seconds(0.25);
  run.framework.level.factor = 1;
  run.framework.level.interval_low = 0.8;
  run.framework.level.interval_high = 1.5;
  const Answer one = estimate(run);
  CHECK(one.breakdown[Term::other].si() == about(0.25));
  CHECK(one.interval_low.si() == about(0.8 * one.step_time.si()));
  CHECK(one.interval_high.si() == about(1.5 * one.step_time.si()));
  run.framework.level.factor = 2;
  const Answer two = estimate(run);
  Seconds sum{};
  for (const Term t : kAllOf<Term>) {
    CHECK(two.breakdown[t].si() == about(2 * one.breakdown[t].si()));
    sum += two.breakdown[t];
  }
  CHECK(two.step_time.si() == about(sum.si()));
  CHECK(two.step_time.si() == about(2 * one.step_time.si()));
  REQUIRE(two.comm_count == one.comm_count);
  REQUIRE(two.comm_count > 0);
  for (std::uint8_t i = 0; i < two.comm_count; ++i) {
    CHECK(two.comm[i].time.si() == about(2 * one.comm[i].time.si()));
    CHECK(two.comm[i].exposed.si() == about(2 * one.comm[i].exposed.si()));
    CHECK(two.comm[i].bytes.si() == about(one.comm[i].bytes.si()));
  }
}

// 16 GPUs each do a sixteenth of the model's FLOPs at the device's peak; what runs again counts by
// stage: all stages' layers, m times, over p.
TEST_CASE("a rank does its share of the model's FLOPs, and again what it recomputes") {
  const Run none = testing::run_of(four_stages());
  const Answer a = estimate(none);
  CHECK(a.model_flops.si() == about(none.model_flops.si() / 16));
  CHECK(a.peak_rate.si() == about(312e12));
  CHECK(a.hardware_flops.si() == about(a.model_flops.si()));
  // A layer's forward is a third of what forward and backward do; the head does not run again.
  const Answer full =
      estimate(testing::run_of(with(four_stages(), R"({"parallel": {"recompute": "full"}})")));
  const double head = 6.0 * 1024 * 1024 * 512 * 64 / 16;  // of its padded rows
  const double layers = a.model_flops.si() - head * 1000 / 1024;
  CHECK(full.hardware_flops.si() - full.model_flops.si() == about(layers / 3).epsilon(0.02));
}

}  // namespace orrery
