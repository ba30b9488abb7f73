// SPDX-License-Identifier: Apache-2.0
// What a stage holds besides states and activations, counted by hand.
#include "estimate/stage_contents.h"

#include <doctest/doctest.h>

#include "cost/memory_time.h"
#include "estimate/classes.h"
#include "estimate/fits_at_risk.h"
#include "estimate/risk.h"
#include "estimate/sends.h"
#include "estimate/sharding.h"
#include "estimate/workspace.h"
#include "network/coded_cost.h"
#include "support/about.h"
#include "support/runs.h"

namespace orrery {
namespace {

using testing::about;
using testing::with;

// One sequence of 512 tokens a micro batch, 1024 wide: 1 MiB at a boundary; eight micro batches.
Json eight_micro_batches(const char* change = "{}") {
  return with(testing::json_of(R"({
    "model": {"name": "small", "num_hidden_layers": 8, "hidden_size": 1024,
              "num_attention_heads": 16, "vocab_size": 1024, "max_position_embeddings": 512},
    "cluster": {"node": "dgx-a100-80gb", "gpus": 4},
    "training": {"sequence_length": 512, "global_batch": 8, "precision": "bf16"},
    "parallel": {"pp": 4, "recompute": "none", "zero": 0}, "framework": "generic"})"),
              change);
}

constexpr double kBoundaryBytes = 512.0 * 1024 * 2;

StageHoldings holdings(const Run& run, std::int64_t stage) {
  Workspace w;
  fill_classes<double>(run, w);
  return contents_of_stage<double>(run, w, stage).holdings;
}

}  // namespace

// 1F1B holds 4, 3, 2 and 1 micro batches in flight, whose inputs lie in their buffers. The first
// stage receives gradients alone, the last one inputs alone.
TEST_CASE("a buffer for each thing that a micro batch brings, but for inputs that are kept") {
  Run run = testing::run_of(eight_micro_batches());
  run.framework.pipeline.receives_apart = true;
  const double buffers[] = {8, 8 + 8 - 3, 8 + 8 - 2, 8 - 1};
  for (std::int64_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    CHECK(holdings(run, i).receive_buffers.si() ==
          buffers[static_cast<std::size_t>(i)] * kBoundaryBytes);
  }
  run.framework.pipeline.receives_apart = false;
  CHECK(holdings(run, 1).receive_buffers == Bytes());
  run = testing::run_of(eight_micro_batches(R"({"parallel": {"pp": 1, "dp": 4}})"));
  run.framework.pipeline.receives_apart = true;
  CHECK(holdings(run, 0).receive_buffers == Bytes());
}

// Buffers are of 24 channels on an A100, one for each 12.5 GB/s of its 300 GB/s.
TEST_CASE("a group of ranks a dimension, and one of the world where none spans it") {
  const auto groups = [](const char* change) {
    return holdings(testing::run_of(eight_micro_batches(change)), 0).groups;
  };
  CHECK(groups("{}") == 1);                           // the pipeline is the world
  CHECK(groups(R"({"cluster": {"gpus": 8}})") == 3);  // pp, dp and the world
  CHECK(groups(R"({"cluster": {"gpus": 16}, "parallel": {"tp": 2}})") == 4);
  CHECK(groups(R"({"cluster": {"gpus": 16}, "parallel": {"cp": 2}})") == 4);  // cp, pp, dp·cp
  CHECK(groups(R"({"cluster": {"gpus": 1}, "parallel": {"pp": 1}})") == 0);
  Run run = testing::run_of(eight_micro_batches());
  const auto over_a100 = [&](double bandwidth) {
    run.cluster.tiers.front().bandwidth = BytesPerSecond(bandwidth);
    return holdings(run, 0).groups;
  };
  CHECK(over_a100(300e9) == about(1.0));
  CHECK(over_a100(150e9) == about(0.5));
  CHECK(over_a100(900e9) == about(32.0 / 24));
  CHECK(over_a100(1e9) == about(2.0 / 24));
}

TEST_CASE("products in 8 bits keep a copy each way, on Blackwell one") {
  Run run = testing::run_of(eight_micro_batches());
  run.framework.saved.narrow_weights = true;
  CHECK(holdings(run, 0).narrow_bytes == 0);
  run.training.precision = Precision::fp8;
  CHECK(holdings(run, 0).narrow_bytes == 2);
  run.cluster.device.generation = Generation::blackwell;
  CHECK(holdings(run, 0).narrow_bytes == 1);
  // Blocks of 32 elements share a scale of a byte, which goes along one dimension.
  run.training.precision = Precision::mxfp8;
  CHECK(holdings(run, 0).narrow_bytes == 2 * (1 + 1.0 / 32));
  run.framework.saved.narrow_weights = false;
  CHECK(holdings(run, 0).narrow_bytes == 0);
}

// A layer of width h has 12·h² weights and a few vectors, a table 1024·h.
TEST_CASE(
    "the ends of a stage are its embedding or its head, its largest layer one of its layers") {
  const Run run = testing::run_of(eight_micro_batches());
  const std::int64_t table = 1024 * 1024;
  CHECK(holdings(run, 1).ends.dense == 0);
  CHECK(holdings(run, 0).ends.dense >= table);
  CHECK(holdings(run, 0).ends.dense < 2 * table);
  CHECK(holdings(run, 3).ends.dense >= table);
  for (std::int64_t i = 0; i < 4; ++i) {
    const StageHoldings h = holdings(run, i);
    CHECK(h.largest_layer.dense >= 12 * table);
    CHECK(h.largest_layer.dense < 13 * table);
    CHECK(h.parameters.dense == 2 * h.largest_layer.dense + h.ends.dense);
    CHECK(h.largest_module.dense >= 4 * table);
    CHECK(h.largest_module.dense < 5 * table);
  }
}

TEST_CASE("what needs all that a risk leaves still fits") {
  Run run = testing::run_of(eight_micro_batches());
  run.memory_risk = {0.1, 0.75};
  Answer a;
  a.reason = Reason::fits;
  a.capacity = Bytes(80e9);
  a.needed = Bytes(60e9);
  CHECK(fits_at_risk(run, a));
  a.needed = Bytes(60.1e9);
  CHECK_FALSE(fits_at_risk(run, a));
  a.needed = Bytes(10e9);
  a.reason = Reason::host_memory;
  CHECK_FALSE(fits_at_risk(run, a));
}

// 95 of 100 and more fit, 80 are likely, 50 tight, 15 unlikely.
TEST_CASE("a fit is as sure as its probability") {
  Run run = testing::run_of(eight_micro_batches());
  run.memory_risk.spread = 0.1;
  Answer a;
  a.reason = Reason::fits;
  a.capacity = Bytes(80e9);
  const auto rank = [&](double deviations) {  // below the capacity
    a.needed = Bytes(80e9 * std::exp(-0.1 * deviations));
    return fit_rank(run, a);
  };
  CHECK(rank(1.65) == 0);  // 0.9505
  CHECK(rank(1.64) == 1);  // 0.9495
  CHECK(rank(0.85) == 1);  // 0.8023
  CHECK(rank(0.84) == 2);  // 0.7995
  CHECK(fit_words(run, a) == "tight");
  a.reason = Reason::device_memory;
  CHECK(rank(-0.01) == 3);  // 0.496
  CHECK(rank(-1.03) == 3);  // 0.1515
  CHECK(fit_words(run, a) == "unlikely");
  CHECK(rank(-1.04) == 4);  // 0.1492
  CHECK(fit_words(run, a) == "does not fit");
  CHECK(fit_probability(0, Bytes(1), Bytes(1)) == 1);
  CHECK(fit_probability(0, Bytes(2), Bytes(1)) == 0);
}

// From 2 bytes to 8 bits and back: each element is read in one size and written in the other, 3
// bytes of memory for 2 of the buffer.
TEST_CASE("a quantised gather passes a kernel bound by memory at either end") {
  Run run = testing::run_of(eight_micro_batches(R"({"cluster": {"gpus": 8},
      "parallel": {"pp": 1, "zero": 3}, "training": {"states": "adam-mixed-16"}})"));
  run.strategy.zeropp.qwz = 8;
  constexpr std::int64_t kElements = 1 << 28;
  const LevelMoves<double> moves =
      gather_weights<double>(run, ShardedStates::dense, kElements, Bytes(), 8);
  REQUIRE(moves.count == 1);
  const CollectiveCost<double>& cost = moves.at[0].cost;
  CHECK(cost.ratio == about(gathered_bytes(run) * 8 / 8));
  // Compressed once is a share of an eighth, decompressed are the other seven.
  const double rate = attained_memory_bandwidth<double>(run.cluster.device).si();
  const double buffer = kElements * 2.0;
  CHECK(cost.codec.si() == about(1.5 * buffer / rate * (1.0 / 8 + 7.0 / 8)));
}

TEST_CASE("the root of FSDP stays gathered where the profile says so") {
  Framework f;
  f.gathers.kept = mask_of(KeptGathered::layers);
  CHECK_FALSE(gathers_again(f, BlockType::layer_0));
  f.gathers.kept = 0;
  CHECK(gathers_again(f, BlockType::layer_0));
  CHECK(gathers_again(f, BlockType::mtp));
  CHECK(gathers_again(f, BlockType::embedding));
  f.gathers.kept = mask_of(KeptGathered::embedding);
  CHECK_FALSE(gathers_again(f, BlockType::embedding));
  CHECK(gathers_again(f, BlockType::head));
  f.gathers.kept |= mask_of(KeptGathered::head);
  CHECK_FALSE(gathers_again(f, BlockType::head));
  CHECK(gathers_again(f, BlockType::layer_0));
}

}  // namespace orrery
