// SPDX-License-Identifier: Apache-2.0
// Exchanges of a block and the copies of a token that reach experts, worked out by hand.
#include <doctest/doctest.h>

#include <cmath>

#include "cost/operator_time.h"
#include "estimate/block_tensors.h"
#include "estimate/launches.h"
#include "estimate/price.h"
#include "estimate/run.h"
#include "model/operators.h"
#include "parallel/shard.h"
#include "support/about.h"
#include "support/runs.h"

namespace orrery {
namespace {

Run mixture_run(int ep, const char* dispatcher = "flex") {
  Json run = testing::json_of(R"({"model": "qwen3-30b-a3b",
      "cluster": {"node": "h800-80gb", "gpus": 128},
      "training": {"sequence_length": 4096, "global_batch": 256},
      "parallel": {"tp": 1, "pp": 1, "recompute": "full"}, "framework": "megatron-core"})");
  run["parallel"]["ep"] = ep;
  run["parallel"]["framework_options"] = {{"dispatcher", dispatcher}};
  return testing::run_of(run);
}

// Layers of experts are the third kind of layer.
ExchangeSum<double> dispatch_of(const Run& run, Phase phase = Phase::forward) {
  return price<double>(run).blocks[BlockType::layer_2].exchanges[phase][ExchangeGroup::ep]
                                                                [Collective::all_to_all];
}

// n(1 − (1 − 1/n)⁸): places of n that eight even draws reach.
double reached(double n) { return n * (1 - std::pow(1 - 1 / n, 8)); }

// Copies of a token that are sent, over the eight of an all-to-all. Experts are in so many groups,
// of which a token chooses a few; 0: no groups.
double copies(int ep, int groups, int chosen) {
  Run run = mixture_run(ep);
  const double all = dispatch_of(mixture_run(ep, "alltoall")).bytes.si() / 8;
  run.model.moe.groups = groups;
  run.model.moe.top_groups = chosen;
  return dispatch_of(run).bytes.si() / all;
}

}  // namespace

TEST_CASE("a token goes to each node once, and to no more than its groups of experts stand on") {
  REQUIRE(mixture_run(64).model.moe.top_k == 8);
  // Eight nodes.
  CHECK(copies(64, 0, 0) == testing::about(reached(8)));
  CHECK(copies(64, 8, 8) == testing::about(reached(8)));
  CHECK(copies(64, 8, 4) == testing::about(4));           // a group a node
  CHECK(copies(64, 8, 7) == testing::about(reached(8)));  // no more than eight draws reach
  CHECK(copies(64, 4, 2) == testing::about(4));           // each of two groups stands on two nodes
  // Two groups share a node: two even draws of eight nodes.
  CHECK(copies(64, 16, 2) == testing::about(8 * (1 - std::pow(7.0 / 8, 2))));
}

TEST_CASE("in one node a token goes to the ranks that hold the groups it chooses") {
  CHECK(copies(8, 0, 0) == testing::about(reached(8)));
  CHECK(copies(8, 8, 4) == testing::about(reached(4)));
  CHECK(copies(8, 8, 8) == testing::about(reached(8)));
  CHECK(copies(8, 16, 1) == testing::about(1));  // half a rank: still one
  CHECK(copies(2, 0, 0) == testing::about(reached(2)));
}

TEST_CASE("tokens that are sent to every expert travel as often as they are needed") {
  Run run = mixture_run(8, "alltoall");
  const double bytes = dispatch_of(run).bytes.si();
  // Out and back: each of eight copies of a token, 7/8 of which leave the rank.
  const double tokens = 4096.0 * static_cast<double>(run.strategy.micro_batch);
  CHECK(bytes ==
        testing::about(2 * tokens * 8 * static_cast<double>(run.model.hidden) * 2 * 7 / 8));
  CHECK(dispatch_of(run, Phase::backward).bytes.si() == testing::about(bytes));
  CHECK(dispatch_of(run, Phase::recompute_full).bytes.si() == testing::about(bytes));
  CHECK(dispatch_of(run, Phase::recompute_selective).bytes == Bytes());
}

// With 8-bit products tokens go out in a byte and come back in two, and so do gradients in
// backward.
TEST_CASE("only a narrow precision sends tokens narrow, and only to their experts") {
  Run run = mixture_run(8, "alltoall");
  const double wide = dispatch_of(run).bytes.si();
  run.framework.experts.dispatch_bytes = 1;
  CHECK(dispatch_of(run).bytes.si() == testing::about(wide));
  run.training.precision = Precision::fp8;
  CHECK(dispatch_of(run).bytes.si() == testing::about(wide * 0.75));
  CHECK(dispatch_of(run, Phase::backward).bytes.si() == testing::about(wide * 0.75));
  run.framework.experts.dispatch_bytes = 0;
  CHECK(dispatch_of(run).bytes.si() == testing::about(wide));
}

namespace {

Run split_run(const char* change = "{}") {
  return testing::run_of(testing::with(testing::json_of(R"({
    "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
    "training": {"sequence_length": 2048, "global_batch": 8, "flash_attention": true},
    "parallel": {"tp": 4, "sequence_parallel": true, "recompute": "full", "zero": 0},
    "framework": "generic"})"),
                                       change));
}

BlockPrice<double> layer_price(const Run& run) {
  return price<double>(run).blocks[BlockType::layer_0];
}

ExchangeSum<double> sum_over(const ExchangeTable<double>& table) {
  ExchangeSum<double> all;
  for (const ExchangeGroup g : kAllOf<ExchangeGroup>) {
    for (const ExchangeSum<double>& e : table[g]) {
      all.count += e.count;
      all.bytes += e.bytes;
      all.sent += e.sent;
      all.uncompressed += e.uncompressed;
      all.time += e.time;
      all.codec += e.codec;
      all.exposed += e.exposed;
    }
  }
  return all;
}

}  // namespace

// Two gathers and two scatters of b·s·h in 2 bytes forward; backward two of each, and the inputs of
// both products that were kept sharded once more.
TEST_CASE("a layer under sequence parallelism gathers and scatters its input, and again backward") {
  const Run run = split_run();
  const BlockPrice<double> b = layer_price(run);
  const double once = 0.75 * 2048 * 4096 * 2 * static_cast<double>(run.strategy.micro_batch);
  const auto tp = [&](Phase p, Collective c) { return b.exchanges[p][ExchangeGroup::tp][c]; };
  CHECK(tp(Phase::forward, Collective::all_gather).count == 2);
  CHECK(tp(Phase::forward, Collective::all_gather).bytes.si() == testing::about(2 * once));
  CHECK(tp(Phase::forward, Collective::all_gather).sent.si() == testing::about(2 * once));
  CHECK(tp(Phase::forward, Collective::reduce_scatter).bytes.si() == testing::about(2 * once));
  CHECK(tp(Phase::backward, Collective::all_gather).bytes.si() == testing::about(4 * once));
  CHECK(tp(Phase::backward, Collective::reduce_scatter).bytes.si() == testing::about(2 * once));
  CHECK(tp(Phase::recompute_full, Collective::all_gather).count == 2);
  CHECK(tp(Phase::forward, Collective::all_gather).tier == 0);
}

TEST_CASE("exchanges of a layer that nothing hides are those of its table") {
  const BlockPrice<double> b = layer_price(split_run());
  for (const Phase p : {Phase::forward, Phase::backward, Phase::recompute_full}) {
    const ExchangeSum<double> all = sum_over(b.exchanges[p]);
    CHECK(all.exposed > Seconds());
    CHECK(b.exposed[p].all.si() == testing::about(all.exposed.si()));
    CHECK(b.exposed[p].by_group[ExchangeGroup::tp].si() == testing::about(all.exposed.si()));
    CHECK(b.exposed[p].by_group[ExchangeGroup::ep] == Seconds());
  }
}

// Three calls a collective: a wait, the kernel, an event.
TEST_CASE("a collective is three launches beside those of the kernels") {
  Run run = split_run();
  const BlockPrice<double> split = layer_price(run);
  ModelOperators model;
  model_operators(run.model, list_options(run), model);
  ShardedBlock block;
  Degrees degrees = degrees_of(run.strategy);
  degrees.gathers_again = !run.framework.saved.gathered_inputs;
  shard(model.layers[0], degrees, block);
  double forward = 0;
  double backward = 0;
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const Launches launches = launches_of(block.operators[i], run);
    forward += launches.forward;
    backward += launches.backward;
  }
  CHECK(split.launches[Phase::forward] == testing::about(forward + 3 * 4));
  CHECK(split.launches[Phase::backward] == testing::about(backward + 3 * 6));
}

TEST_CASE("a codec takes bytes off the wire and adds its time, and both are counted") {
  const BlockPrice<double> plain = layer_price(split_run());
  const BlockPrice<double> coded = layer_price(split_run(R"({"parallel": {"compression":
      {"tp": {"ratio": 4, "throughput": "100 GB/s", "lossless": true}}}})"));
  const ExchangeSum<double> before = sum_over(plain.exchanges[Phase::forward]);
  const ExchangeSum<double> after = sum_over(coded.exchanges[Phase::forward]);
  CHECK(before.codec == Seconds());
  CHECK(before.uncompressed.si() == testing::about(before.bytes.si()));
  CHECK(after.count == before.count);
  CHECK(after.bytes.si() == testing::about(before.bytes.si() / 4));
  CHECK(after.sent.si() == testing::about(before.sent.si() / 4));
  CHECK(after.uncompressed.si() == testing::about(before.bytes.si()));
  // Two gathers pass S in all, two scatters (n − 1)/n·S each way: 4 GPUs, 100 GB/s.
  const double s = 2048.0 * 4096 * 2;
  CHECK(after.codec.si() == testing::about((2 * s + 2 * 1.5 * s) / 100e9));
  CHECK(after.time > after.codec);
}

TEST_CASE("the first kernel of attention that both framework and device have is taken") {
  Run run = split_run();
  run.training.attention_kernel.reset();
  DeviceEfficiency& e = run.cluster.device.efficiency;
  for (const AttentionKernel k : kAllOf<AttentionKernel>) e.attention[k] = {};
  const auto give = [&](AttentionKernel k) {
    e.attention[k].forward.fill(0.5);
    e.attention[k].backward.fill(0.5);
  };
  give(AttentionKernel::cudnn);
  give(AttentionKernel::triton);
  run.framework.kernels.attention_count = 2;
  run.framework.kernels.attention = {AttentionKernel::flash_3, AttentionKernel::triton};
  CHECK(kernel_choice(run).attention == AttentionKernel::triton);
  // A kernel made for earlier devices comes after the one that is not, wherever it is named.
  run.framework.kernels.attention = {AttentionKernel::triton, AttentionKernel::cudnn};
  e.attention[AttentionKernel::triton].of_earlier_devices = true;
  CHECK(kernel_choice(run).attention == AttentionKernel::cudnn);
  e.attention[AttentionKernel::cudnn].of_earlier_devices = true;
  CHECK(kernel_choice(run).attention == AttentionKernel::triton);
  run.framework.kernels.attention = {AttentionKernel::flash_3, AttentionKernel::triton};
  run.framework.kernels.attention_count = 1;  // flash-3 alone: then any that the device has
  CHECK(kernel_choice(run).attention == AttentionKernel::cudnn);
  run.training.attention_kernel = AttentionKernel::sdpa;
  CHECK(kernel_choice(run).attention == AttentionKernel::sdpa);
}

TEST_CASE("kernels follow the precision and the profile") {
  Run run = split_run();
  run.training.precision = Precision::fp8;
  run.framework.kernels.linear_rate = 0.9;
  run.framework.kernels.pointwise_passes = 1.5;
  run.framework.kernels.unpacking_passes = 2.5;
  const KernelChoice k = kernel_choice(run);
  CHECK(k.linear == Precision::fp8);
  CHECK(k.wide == Precision::bf16);
  CHECK(k.linear_rate == 0.9);
  CHECK(k.pointwise_passes == 1.5);
  CHECK(k.unpacking_passes == 2.5);
}

namespace {

ShardedBlock block_of(std::initializer_list<ShardedOperator> operators) {
  ShardedBlock block;
  for (const ShardedOperator& op : operators) block.operators[block.count++] = op;
  return block;
}

ShardedOperator keeping(OpName name, double bytes, ModuleMask dropped_by, bool weight = false) {
  ShardedOperator op;
  op.name = name;
  op.has_weight = weight;
  if (bytes > 0) op.kept[op.kept_count++] = {Bytes(bytes), dropped_by};
  return op;
}

}  // namespace

TEST_CASE("a module misses the tensors that later operators drop") {
  constexpr auto kFirst = static_cast<ModuleMask>(1);
  constexpr auto kSecond = static_cast<ModuleMask>(2);
  const ShardedBlock block =
      block_of({keeping(OpName::qkv, 8, kSecond), keeping(OpName::mlp_up, 8, kFirst),
                keeping(OpName::mlp_down, 0, 0)});
  const DroppedAfter after = dropped_after(block);
  CHECK(after[0] == kFirst);
  CHECK(after[1] == 0);
  CHECK(after[2] == 0);
}

TEST_CASE("a recomputed forward ends with the last tensor that is saved") {
  const ShardedOperator kept = keeping(OpName::qkv, 8, 0);
  const ShardedOperator product = keeping(OpName::mlp_down, 8, 0, true);
  const ShardedOperator nothing = keeping(OpName::mlp_up, 0, 0);
  CHECK(last_needed(block_of({kept, nothing, nothing})) == 1);
  CHECK(last_needed(block_of({nothing, kept, nothing})) == 2);
  CHECK(last_needed(block_of({kept, product, nothing})) == 1);  // its input is the saved tensor
  CHECK(last_needed(block_of({nothing})) == 0);
  CHECK(last_needed(block_of({product})) == 0);
  // The head of a module of token prediction begins with its norm, and does not run again.
  const ShardedOperator norm = keeping(OpName::final_norm, 8, 0);
  CHECK(recomputable_end(block_of({kept, kept, norm, kept})) == 2);
  CHECK(last_needed(block_of({kept, kept, norm, kept})) == 2);
  CHECK(recomputable_end(block_of({kept, kept})) == 2);
}

TEST_CASE("the logits of a block are what its loss keeps") {
  const ShardedOperator loss = keeping(OpName::loss, 100, 0);
  CHECK(loss_bytes(block_of({keeping(OpName::qkv, 8, 0), loss})) == Bytes(100));
  CHECK(loss_bytes(block_of({loss, loss})) == Bytes(200));
  CHECK(loss_bytes(block_of({keeping(OpName::qkv, 8, 0)})) == Bytes());
}

namespace {

ShardedOperator product_of(std::int64_t rows, std::int64_t inner, std::int64_t cols) {
  ShardedOperator op;
  op.kind = OpKind::product;
  op.has_weight = true;
  op.name = OpName::qkv;
  op.rows = rows;
  op.inner = inner;
  op.cols = cols;
  op.groups = 1;
  op.kept[op.kept_count++] = {Bytes(1000), 0};
  return op;
}

}  // namespace

TEST_CASE("backward works on the gradients of one product, and on its weight unpacked") {
  ShardedOperator op = product_of(10, 30, 50);
  CHECK(transient_bytes(block_of({op}), 2) == Bytes(2 * 10 * (30 + 50)));
  CHECK(transient_bytes(block_of({op, product_of(10, 60, 50)}), 4) == Bytes(4 * 10 * 110));
  op.weight = WeightUse::packed;
  op.parameters = 1500;
  CHECK(transient_bytes(block_of({op}), 2) == Bytes(2 * 10 * 80 + 2 * 1500));
  op.name = OpName::head;  // the gradient of the logits is in their line
  CHECK(transient_bytes(block_of({op}), 2) == Bytes(2 * 10 * 30 + 2 * 1500));
  op.backward = Backward::none;
  CHECK(transient_bytes(block_of({op}), 2) == Bytes(2 * 1500));
  op.backward = Backward::input;
  CHECK(transient_bytes(block_of({op}), 2) == Bytes(2 * 10 * 30 + 2 * 1500));
}

TEST_CASE("a weight's gradient needs the product's input and the gradient of its output") {
  ShardedOperator op = product_of(10, 30, 50);
  op.role = PrecisionRole::linear;
  CHECK(weight_gradient_bytes(block_of({op}), 2, 1) == Bytes(1000 + 10 * 50 * 1));
  op.role = PrecisionRole::wide;
  CHECK(weight_gradient_bytes(block_of({op, op}), 2, 1) == Bytes(2 * (1000 + 10 * 50 * 2)));
  for (const Backward b : {Backward::input, Backward::none, Backward::never}) {
    op.backward = b;
    CHECK(weight_gradient_bytes(block_of({op}), 2, 1) == Bytes());
  }
  op = product_of(10, 30, 50);
  op.has_weight = false;
  CHECK(weight_gradient_bytes(block_of({op}), 2, 1) == Bytes());
  op.has_weight = true;
  op.kind = OpKind::pointwise;
  CHECK(weight_gradient_bytes(block_of({op}), 2, 1) == Bytes());
}

}  // namespace orrery
