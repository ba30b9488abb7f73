// SPDX-License-Identifier: Apache-2.0
//
// Effects of a framework's own choices on a stage's memory and exchanges.
#include <doctest/doctest.h>

#include <utility>

#include "estimate/estimate.h"
#include "estimate/run.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr double kMicroBatchTokens = 512;  // of a micro batch
constexpr double kWidth = 1024;

Run dense_run(const std::string& parallel, std::int64_t vocabulary = 1024) {
  Json run = json_of(R"({
    "model": {"name": "m", "num_hidden_layers": 8, "hidden_size": 1024,
              "num_attention_heads": 16, "num_key_value_heads": 4, "intermediate_size": 4096,
              "vocab_size": 1024, "hidden_act": "swiglu"},
    "cluster": {"node": "dgx-h100", "gpus": 8},
    "training": {"sequence_length": 512, "global_batch": 8, "states": "adam-mixed-16"},
    "parallel": {"recompute": "full", "zero": 0}, "framework": "fused"})");
  run["model"]["vocab_size"] = vocabulary;
  return run_of(with(run, "{\"parallel\": " + parallel + "}"));
}

// Memory of the first stage.
Bytes memory_line(const Run& run, MemoryLine line) { return memory_by_stage(run).front()[line]; }

std::int64_t backward_gathers(const Run& run) {
  const Answer a = estimate(run);
  std::int64_t n = 0;
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    const CommLine<double>& c = a.comm[i];
    if (c.dimension == CommDimension::tp && c.collective == Collective::all_gather) n += c.count;
  }
  return n;
}

}  // namespace

TEST_CASE("a stage keeps what it sent on, one output a micro batch in flight") {
  Run run = dense_run(R"({"pp": 4})");
  const Bytes without = memory_line(run, MemoryLine::activations);
  run.framework.pipeline.keeps_outputs = true;
  const Bytes more = memory_line(run, MemoryLine::activations) - without;
  CHECK(more.si() == testing::about(4 * kMicroBatchTokens * kWidth * 2));  // stage 0: 4 in flight
  Run alone = dense_run(R"({"pp": 1})");
  const Bytes whole = memory_line(alone, MemoryLine::activations);
  alone.framework.pipeline.keeps_outputs = true;
  CHECK(memory_line(alone, MemoryLine::activations) == whole);
}

TEST_CASE("who keeps gathered inputs gathers them once") {
  Run run = dense_run(R"({"tp": 4, "sequence_parallel": true, "recompute": "none"})");
  const Bytes sharded = memory_line(run, MemoryLine::activations);
  const std::int64_t gathers = backward_gathers(run);
  run.framework.saved.gathered_inputs = true;
  // Two products a layer and the head keep whole what they kept a quarter of.
  const double inputs = (8 * 2 + 1) * kMicroBatchTokens * kWidth * 2 * 0.75;
  CHECK((memory_line(run, MemoryLine::activations) - sharded).si() == testing::about(inputs));
  CHECK(gathers - backward_gathers(run) == (8 * 2 + 1) * run.strategy.micro_batches);
}

TEST_CASE(
    "outputs that tensor parallelism reduces wait for the device, as far as the host is ahead") {
  Run run = dense_run(R"({"tp": 4, "sequence_parallel": true, "recompute": "none"})");
  run.framework.allocator.records_streams = false;
  const Bytes without = memory_line(run, MemoryLine::fragmentation);
  run.framework.allocator.records_streams = true;
  const double output = kMicroBatchTokens * kWidth * 2;  // whole, in 16 bits
  // Two of each of eight layers, whose launches the queue holds.
  CHECK((memory_line(run, MemoryLine::fragmentation) - without).si() ==
        testing::about(16 * output));
  Run alone = dense_run(R"({"tp": 1})");
  alone.framework.allocator.records_streams = false;
  const Bytes whole = memory_line(alone, MemoryLine::fragmentation);
  alone.framework.allocator.records_streams = true;
  CHECK(memory_line(alone, MemoryLine::fragmentation) == whole);
}

TEST_CASE("copies of weights in 8 bits are kept both ways, but the stored ones") {
  Run run = dense_run(R"({"tp": 2})");
  run.framework.saved.narrow_weights = true;
  CHECK(memory_line(run, MemoryLine::secondary_weights) == Bytes());
  run.training.precision = Precision::fp8;
  // A layer: queries, output, keys and values, three matrices of the MLP; two norms, which no
  // product reads, are counted with them.
  const double layer = (2 + 0.5 + 3 * 4) * kWidth * kWidth / 2 + 2 * kWidth;
  CHECK(memory_line(run, MemoryLine::secondary_weights).si() == testing::about(8 * layer * 2));
  run.training.recipe.weights = run.training.recipe.gathered = 1;
  CHECK(memory_line(run, MemoryLine::secondary_weights).si() == testing::about(8 * layer));
}

TEST_CASE("frozen weights have copies in 8 bits as those that train, but for packed ones") {
  const auto copies = [](const char* base) {
    Json run = json_of(R"({"model": "llama-3-8b", "framework": "megatron-core",
        "cluster": {"node": "dgx-h100", "gpus": 8},
        "training": {"sequence_length": 4096, "global_batch": 32, "precision": "fp8"},
        "parallel": {"recompute": "none"}})");
    if (*base != 0) {
      const bool packed = std::string(base) == "nf4";
      run["training"]["adapter"] = {
          {"kind", packed ? "qlora" : "lora"}, {"rank", 16}, {"base_precision", base}};
    }
    return estimate(run_of(run)).memory[MemoryLine::secondary_weights].si();
  };
  const double adapters = 41'943'040;
  CHECK(copies("16bit") == testing::about(copies("") + 2 * adapters));
  CHECK(copies("nf4") == testing::about(2 * adapters));
}

TEST_CASE("a Blackwell's products read one copy in 8 bits both ways, but not blocks of scales") {
  Run run = dense_run(R"({"tp": 2})");
  run.framework.saved.narrow_weights = true;
  run.cluster.device.generation = Generation::blackwell;
  run.training.precision = Precision::fp8;
  const double layer = (2 + 0.5 + 3 * 4) * kWidth * kWidth / 2 + 2 * kWidth;
  CHECK(memory_line(run, MemoryLine::secondary_weights).si() == testing::about(8 * layer));
  run.training.precision = Precision::mxfp8;  // a scale of a byte for 32
  CHECK(memory_line(run, MemoryLine::secondary_weights).si() ==
        testing::about(8 * layer * 2 * (1 + 1.0 / 32)));
}

TEST_CASE("communicators: one a dimension and one of all ranks, by the channels of the links") {
  const Run one = dense_run(R"({"tp": 8})");
  const Bytes group = memory_line(one, MemoryLine::communicators);
  // An H100's links of 450 GB/s fill 36 channels, of which NCCL opens 32.
  CHECK(group.si() == testing::about(one.framework.buffers.group.si() * 32 / 24));
  const Run three = dense_run(R"({"tp": 2, "pp": 2, "dp": 2})");
  CHECK(memory_line(three, MemoryLine::communicators).si() == testing::about(4 * group.si()));
}

TEST_CASE("an embedding's gradient needs a block of its own where no other tensor is as large") {
  const std::int64_t large = 65536;
  const auto cached = [](Run run) {
    run.framework.allocator.records_streams = false;
    run.framework.allocator.state_overhead = run.framework.allocator.activation_overhead = 0;
    return std::pair(memory_by_stage(run).front()[MemoryLine::fragmentation],
                     memory_by_stage(run).back()[MemoryLine::fragmentation]);
  };
  const auto [first, last] = cached(dense_run(R"({"pp": 2, "tp": 2})", large));
  CHECK(first.si() == testing::about(large / 2 * kWidth * 2));  // in 16 bits, split over tp
  CHECK(last == Bytes());                                       // its logits are larger
  CHECK(cached(dense_run(R"({"pp": 1, "tp": 2})", large)).first == Bytes());
  // Gate and up of the MLP: 512 tokens of 8,192 numbers over tp 2, against 1,024 of 1,024.
  CHECK(cached(dense_run(R"({"pp": 2, "tp": 2})", 1024)).first == Bytes());
}

TEST_CASE("every micro batch of a step has receive buffers of its own") {
  Run run = dense_run(R"({"pp": 4})");
  REQUIRE(run.strategy.micro_batches == 4);
  const Bytes without = memory_line(run, MemoryLine::buckets);
  run.framework.pipeline.receives_apart = true;
  // The first stage receives gradients alone.
  const Bytes more = memory_line(run, MemoryLine::buckets) - without;
  CHECK(more.si() == testing::about(4 * kMicroBatchTokens * kWidth * 2));
}

TEST_CASE("what is reduced after the last backward is reserved, not allocated") {
  Run run = dense_run(R"({"pp": 4, "zero": 3})");
  run.framework.gathers.kept = mask_of(KeptGathered::pipeline);
  const Answer before = estimate(run);
  run.framework.gradients.reduced_at_end = true;
  const Answer after = estimate(run);
  CHECK(after.memory.allocated == before.memory.allocated);
  const double layer = 1024.0 * (1024 + 512 + 1024 + 3 * 4096) + 2 * 1024;
  CHECK((after.memory.reserved - before.memory.reserved).si() ==
        testing::about(2 * layer * run.training.recipe.reduced));
  run.framework.gathers.kept = 0;  // reduced in every micro batch
  CHECK(estimate(run).memory.outsized == Bytes());
  Run whole = dense_run(R"({"pp": 4, "zero": 1})");
  whole.framework.gradients.reduced_at_end = true;
  CHECK(estimate(whole).memory.outsized == Bytes());
}

TEST_CASE("inputs of 8-bit products are kept as they were, where tp does not split them") {
  Run run = dense_run(R"({"recompute": "none"})");
  run.training.precision = Precision::fp8;
  const Bytes quantised = memory_line(run, MemoryLine::activations);
  run.framework.saved.wide_inputs = true;
  const Bytes wide = memory_line(run, MemoryLine::activations);
  run.training.precision = Precision::bf16;
  CHECK(wide > quantised);
  CHECK(wide == memory_line(run, MemoryLine::activations));
  Run split = dense_run(R"({"tp": 4, "recompute": "none"})");
  split.training.precision = Precision::fp8;
  const Bytes before = memory_line(split, MemoryLine::activations);
  split.framework.saved.wide_inputs = true;
  CHECK(memory_line(split, MemoryLine::activations) == before);
}

TEST_CASE("what the loss leaves in the cache is reserved, not allocated") {
  Run run = dense_run(R"({"tp": 1})", 32000);
  const Answer before = estimate(run);
  run.framework.loss.logits_overhead = 0.25;
  const Answer after = estimate(run);
  CHECK(after.memory.allocated == before.memory.allocated);
  CHECK((after.memory.reserved - before.memory.reserved).si() ==
        testing::about(0.25 * before.memory[MemoryLine::logits].si()));
}

TEST_CASE("a loss keeps the logits, an fp32 copy and softmax, one of them, or none") {
  Run run = dense_run(R"({"tp": 1})", 32000);
  const double logits = kMicroBatchTokens * 32000;
  const auto bytes = [&](CrossEntropy kind) {
    run.framework.loss.method = kind;
    return memory_line(run, MemoryLine::logits).si() / logits;
  };
  CHECK(bytes(CrossEntropy::unfused) == testing::about(12));
  CHECK(bytes(CrossEntropy::fused) == testing::about(8));
  CHECK(bytes(CrossEntropy::in_place) == testing::about(8));
  CHECK(bytes(CrossEntropy::chunked) == testing::about(4));
  CHECK(bytes(CrossEntropy::linear_fused) == 0);
}

TEST_CASE("the loss over a split vocabulary is the one the framework has for it") {
  Run run = dense_run(R"({"tp": 4, "sequence_parallel": true})", 32000);
  run.framework.loss.method = CrossEntropy::unfused;
  run.framework.loss.split_method = CrossEntropy::loss_parallel;
  const double logits = kMicroBatchTokens * 32000;
  CHECK(memory_line(run, MemoryLine::logits).si() == testing::about(16 * logits / 4));
  Run whole = dense_run(R"({"tp": 1})", 32000);
  whole.framework = run.framework;
  CHECK(memory_line(whole, MemoryLine::logits).si() == testing::about(12 * logits));
}

// A layer: queries and output 1024², keys and values 1024 × 512, the MLP 3 · 1024 × 4096, two
// norms; 2 bytes a gathered parameter. Its largest module is the gated up-projection, with 2 bytes
// a gradient.
TEST_CASE("a partitioned program holds one gathered layer and one module's gradient") {
  Run run = dense_run(R"({"zero": 3})");
  run.framework.gathers.by_product = true;
  const double layer = 14.5 * kWidth * kWidth + 2 * kWidth;
  CHECK(memory_line(run, MemoryLine::gathered_weights).si() == 2 * layer + 2 * kWidth * 2 * 4096);
}

// One parameter may live: beside it the largest module is gathered whole, 2 bytes a parameter, with
// as many of its gradient. That is the gated up-projection of a layer, 1024 × 2·4096, until the
// vocabulary's matrix, 1024 × 65,536, is larger.
TEST_CASE("the largest module of a stage is one of a layer, or that of the vocabulary") {
  for (const auto& [vocabulary, largest] :
       {std::pair{1024, 1024.0 * 2 * 4096}, std::pair{65536, 1024.0 * 65536}}) {
    Run run = dense_run(R"({"zero": 3})", vocabulary);
    run.framework.gathers.max_live = 1;
    CHECK(memory_line(run, MemoryLine::gathered_weights).si() == 2 + largest * (2 + 2));
  }
}
