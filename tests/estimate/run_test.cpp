// SPDX-License-Identifier: Apache-2.0
// Facts that the chain asks of a run besides its numbers.
#include "estimate/run.h"

#include <doctest/doctest.h>

#include "estimate/accuracy.h"
#include "model/operators.h"
#include "parallel/rules.h"
#include "support/about.h"
#include "support/runs.h"

namespace orrery {
namespace {

Run plain_run(const char* change = "{}") {
  return testing::run_of(testing::with(testing::json_of(R"({
    "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
    "training": {"sequence_length": 2048, "global_batch": 16},
    "parallel": {"recompute": "full", "zero": 0}, "framework": "generic"})"),
                                       change));
}

}  // namespace

TEST_CASE("a gathered weight travels as the profile says, or as the recipe does") {
  Run run = plain_run();
  run.training.recipe.gathered = 2;
  run.framework.gathers.element_bytes = 0;
  CHECK(gathered_bytes(run) == 2);
  run.framework.gathers.element_bytes = 4;
  CHECK(gathered_bytes(run) == 4);
}

TEST_CASE("a rank of experts gets all tokens at most, as often as it has experts for them") {
  const Run dense = plain_run();
  CHECK(most_expert_load(dense.model, 8) == 1);
  Architecture moe = dense.model;
  moe.moe.experts = 8;
  moe.moe.top_k = 2;
  CHECK(most_expert_load(moe, 1) == 1);
  CHECK(most_expert_load(moe, 2) == 2);
  CHECK(most_expert_load(moe, 4) == 4);
  CHECK(most_expert_load(moe, 8) == 4);
  moe.moe.top_k = 8;
  CHECK(most_expert_load(moe, 8) == 1);
}

TEST_CASE("the list is of the run's sequence, micro batch, precision and profile") {
  Run run = plain_run();
  run.strategy.micro_batch = 2;
  run.framework.saved.gathered_inputs = true;
  run.framework.saved.gate_bytes = 3;
  run.framework.saved.attention_output_bytes = 5;
  const ListOptions o = list_options(run);
  CHECK(o.sequence == 2048);
  CHECK(o.micro_batch == 2);
  CHECK(o.precision == Precision::bf16);
  CHECK(o.keeps_gathered_inputs);
  CHECK(o.gate_bytes == 3);
  CHECK(o.attention_output_bytes == 5);
  CHECK(o.expert_load == 1);
}

TEST_CASE("a split vocabulary has a loss and a padding of its own") {
  Run run = plain_run();
  run.framework.loss.method = CrossEntropy::recomputed;
  run.framework.loss.split_method = CrossEntropy::unfused;
  run.framework.vocabulary.multiple = 128;
  run.framework.vocabulary.multiple_per_tp = true;
  CHECK(list_options(run).cross_entropy == CrossEntropy::recomputed);
  CHECK(list_options(run).vocabulary_multiple == 128);
  run.strategy.tp = 4;
  CHECK(list_options(run).cross_entropy == CrossEntropy::unfused);
  CHECK(list_options(run).vocabulary_multiple == 512);
  run.framework.vocabulary.multiple_per_tp = false;
  CHECK(list_options(run).vocabulary_multiple == 128);
}

TEST_CASE("inputs are kept wide where tensor parallelism does not gather them") {
  Run run = plain_run();
  run.framework.saved.wide_inputs = true;
  CHECK(list_options(run).keeps_wide_inputs);
  run.strategy.tp = 2;
  CHECK_FALSE(list_options(run).keeps_wide_inputs);
  run.strategy.tp = 1;
  run.framework.saved.wide_inputs = false;
  CHECK_FALSE(list_options(run).keeps_wide_inputs);
}

TEST_CASE("FlashAttention alone takes keys that heads share as they are") {
  Run run = plain_run();
  run.training.fused_attention = true;
  run.framework.kernels.unfused = mask_of(Chain::repeated_keys);
  const auto repeats = [&](AttentionKernel k) {
    run.training.attention_kernel = k;
    return list_options(run).unfused == mask_of(Chain::repeated_keys);
  };
  for (const AttentionKernel k :
       {AttentionKernel::flash_2, AttentionKernel::flash_3, AttentionKernel::flash_4}) {
    CHECK_FALSE(repeats(k));
  }
  for (const AttentionKernel k :
       {AttentionKernel::cudnn, AttentionKernel::triton, AttentionKernel::sdpa}) {
    CHECK(repeats(k));
  }
  run.training.fused_attention = false;
  CHECK(repeats(AttentionKernel::flash_2));
}

// Ranks that share weights wait for each other in every micro batch, others once a step, in which
// long and short documents even out.
TEST_CASE("documents weigh more on the slowest rank where ranks meet more often") {
  Run run = plain_run(R"({"training": {"global_batch": 64, "sequence_lengths":
      [{"length": 256, "share": 4}, {"length": 2048, "share": 1}]}})");
  REQUIRE(run.training.lengths.count == 2);
  const double once = list_options(run).document_load;
  run.strategy.partition.weights = 8;
  const double often = list_options(run).document_load;
  CHECK(often > once);
  CHECK(once > 1);
  run.strategy.partition.weights = 1;
  run.strategy.micro_batch = 8;  // as many documents in one micro batch as in a step
  run.strategy.micro_batches = 1;
  CHECK(list_options(run).document_load == testing::about(once));
  CHECK(list_options(run).context_share == 1);
  run.strategy.cp = 4;
  run.strategy.dynamic_cp = true;
  CHECK(list_options(run).context_share < 1);
}

TEST_CASE("a run has a host or drives if it knows all their rates") {
  Run run = plain_run();
  run.cluster.host.memory_bandwidth = BytesPerSecond(1);
  run.cluster.device.host_link.bandwidth = BytesPerSecond(1);
  run.cluster.nvme = {BytesPerSecond(1), BytesPerSecond(1)};
  CHECK(shape_of(run).has_host_memory);
  CHECK(shape_of(run).has_nvme);
  run.cluster.host.memory_bandwidth = {};
  CHECK_FALSE(shape_of(run).has_host_memory);
  run.cluster.host.memory_bandwidth = BytesPerSecond(1);
  run.cluster.device.host_link.bandwidth = {};
  CHECK_FALSE(shape_of(run).has_host_memory);
  run.cluster.nvme.read = {};
  CHECK_FALSE(shape_of(run).has_nvme);
  run.cluster.nvme = {BytesPerSecond(1), {}};
  CHECK_FALSE(shape_of(run).has_nvme);
}

TEST_CASE("rules see the run's sizes, and its bits on the wire") {
  Run run = plain_run();
  run.training.recipe.reduced = 4;
  run.training.recipe.gathered = 2;
  run.framework.gathers.element_bytes = 0;
  const RunShape s = shape_of(run);
  CHECK(s.gpus == 8);
  CHECK(s.sequence == 2048);
  CHECK(s.global_batch == 16);
  CHECK(s.weight_bits == 16);
  CHECK(s.gradient_bits == 32);
  CHECK_FALSE(s.compresses_weights);
  CHECK_FALSE(s.compresses_gradients);
  Codec half;
  half.ratio = 2;
  for (const CommDimension d : {CommDimension::dp, CommDimension::edp}) {
    Run coded = run;
    coded.compression.codecs[d][Collective::all_gather] = half;
    CHECK(shape_of(coded).compresses_weights);
    CHECK_FALSE(shape_of(coded).compresses_gradients);
    coded = run;
    coded.compression.codecs[d][Collective::reduce_scatter] = half;
    CHECK_FALSE(shape_of(coded).compresses_weights);
    CHECK(shape_of(coded).compresses_gradients);
  }
}

TEST_CASE("the ends of a model stand apart in a pipeline that is no V") {
  Run run = plain_run();
  CHECK_FALSE(ends_apart(run));
  run.strategy.pp = 2;
  CHECK(ends_apart(run));
  run.strategy.vpp = 2;
  run.strategy.schedule = ScheduleId::zb_v;
  CHECK_FALSE(ends_apart(run));
}

TEST_CASE("a run that breaks a rule is not legal") {
  Run run = plain_run();
  CHECK(is_legal(run));
  run.strategy.tp = 3;
  CHECK_FALSE(is_legal(run));
}

namespace {

Accuracy cells_by_hand() {
  Accuracy a;
  a.stack_spread = 0.2;
  a.noise = 0.1;
  const auto cell = [](const StackKind& of, std::int64_t rows, double low, double high) {
    AccuracyCell c;
    c.of = of;
    c.rows = rows;
    c.sources = rows / 10;
    c.low = low;
    c.high = high;
    return c;
  };
  a.cells = {cell({"megatron-core", "", "hopper", false}, 30, 0.9, 1.1),
             cell({"", "fused", "hopper", false}, 20, 0.8, 1.25),
             cell({"", "", "", false}, 40, 0.5, 2), cell({"", "", "", true}, 10, 0.4, 3)};
  a.memory = {cell({"", "fused", "", false}, 50, 0.85, 1.2)};
  return a;
}

}  // namespace

TEST_CASE("an interval says what runs it rests on, and how they were predicted") {
  const Accuracy table = cells_by_hand();
  const StepInterval known = interval_of(table, plain_run(R"({"framework": "megatron-core"})"));
  CHECK(known.low == 0.9);
  CHECK(known.high == 1.1);
  CHECK(known.rows == 30);
  CHECK(known.sources == 3);
  CHECK(known.words ==
        "8 of 10 runs measure 10 % less to 10 % more than predicted: 30 published runs "
        "(megatron-core, hopper; 3 sources), each predicted without its team");
  const StepInterval of_class = interval_of(table, plain_run(R"({"framework": "fused"})"));
  CHECK(of_class.words ==
        "8 of 10 runs measure 20 % less to 25 % more than predicted: 20 published runs "
        "(fused, hopper; 2 sources), each predicted as an unknown stack");
  const StepInterval any = interval_of(
      table, plain_run(R"({"framework": "fused", "cluster": {"node": "dgx-a100-80gb"}})"));
  CHECK(any.words ==
        "8 of 10 runs measure 50 % less to 100 % more than predicted: 40 published runs "
        "(4 sources), each predicted as an unknown stack; none on ampere");
  CHECK(interval_of(table, plain_run(R"({"model": "mixtral-8x7b"})")).rows == 10);
  CHECK(memory_interval_of(table, plain_run(R"({"framework": "fused"})")).rows == 50);
  const StepInterval none = memory_interval_of(table, plain_run(R"({"framework": "eager"})"));
  CHECK(none.rows == 0);
  CHECK(none.words == "nothing is known of its error");
}

TEST_CASE("an interval is wider on more GPUs than any of its runs, and says so") {
  Accuracy table = cells_by_hand();
  table.scale_spread = 0.1;
  table.cells[1].gpus = 512;
  Run run = plain_run(R"({"framework": "fused"})");
  run.cluster.gpus = 512;
  CHECK(interval_of(table, run).high == 1.25);
  run.cluster.gpus = 1024;
  const StepInterval far = interval_of(table, run);
  CHECK(far.high > 1.25);
  CHECK(far.low < 0.8);
  CHECK(far.words.ends_with("; none on more than 512 GPUs"));
}

TEST_CASE("a class says nothing on another vendor's devices where none was measured") {
  Accuracy table = cells_by_hand();
  AccuracyCell of_class = table.cells[1];
  of_class.of.generation.clear();
  of_class.rows = 25;
  table.cells.insert(table.cells.begin() + 2, of_class);
  Run run = plain_run(R"({"framework": "fused"})");
  run.cluster.device.generation = Generation::ampere;
  CHECK(interval_of(table, run).rows == 25);
  run.cluster.device.vendor = Vendor::amd;
  CHECK(interval_of(table, run).rows == 40);
  run.cluster.device.generation = Generation::hopper;  // as if that vendor's had been measured
  CHECK(interval_of(table, run).rows == 20);
}

TEST_CASE("constants from another vendor's devices are those of an unknown stack") {
  Run run = plain_run(R"({"framework": "megatron-core"})");
  run.framework.vendor = Vendor::amd;
  run.cluster.device.vendor = Vendor::nvidia;
  CHECK(interval_of(cells_by_hand(), run).rows == 20);
  run.framework.vendor = Vendor::nvidia;
  CHECK(interval_of(cells_by_hand(), run).rows == 30);
  run.framework.vendor.reset();
  CHECK(interval_of(cells_by_hand(), run).rows == 30);
  // No published run has recurrent layers.
  run.model.recurrent.kind = RecurrentKind::mamba2;
  const StepInterval i = interval_of(cells_by_hand(), run);
  CHECK(i.rows == 40);
  CHECK(i.words.find("; none has recurrent layers") != std::string::npos);
}

}  // namespace orrery
