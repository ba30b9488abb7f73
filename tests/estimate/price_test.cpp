// SPDX-License-Identifier: Apache-2.0
// The price of a block against its operators, one by one, and its tensors counted by hand.
#include "estimate/price.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "cost/operator_time.h"
#include "estimate/block_tensors.h"
#include "estimate/launches.h"
#include "estimate/run.h"
#include "model/operators.h"
#include "parallel/shard.h"
#include "support/about.h"
#include "support/runs.h"

namespace orrery {
namespace {

using testing::about;

// A GPT of width 1024 with 16 heads and an MLP of 4096, one sequence of 512 tokens.
Run gpt_run(const char* change = "{}") {
  return testing::run_of(testing::with(testing::json_of(R"({
    "model": {"name": "small", "num_hidden_layers": 8, "hidden_size": 1024,
              "num_attention_heads": 16, "vocab_size": 1024, "max_position_embeddings": 512},
    "cluster": {"node": "dgx-a100-80gb", "gpus": 8},
    "training": {"sequence_length": 512, "global_batch": 8, "precision": "bf16",
                 "flash_attention": false},
    "parallel": {"recompute": "none", "zero": 0}, "framework": "generic"})"),
                                       change));
}

BlockPrice<double> layer_of(const Run& run) {
  return price<double>(run).blocks[BlockType::layer_0];
}

ShardedBlock sharded_layer(const Run& run) {
  ModelOperators model;
  model_operators(run.model, list_options(run), model);
  Degrees degrees = degrees_of(run.strategy);
  degrees.gathers_again = !run.framework.saved.gathered_inputs;
  ShardedBlock block;
  shard(model.layers[0], degrees, block);
  return block;
}

struct Sums {
  double forward = 0;
  double backward = 0;
  double launches_forward = 0;
  double launches_backward = 0;
};

// The sums over the operators that `is_meant`.
template <class IsMeant>
Sums sums_of(const Run& run, IsMeant&& is_meant) {
  const ShardedBlock block = sharded_layer(run);
  Sums s;
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const ShardedOperator& op = block.operators[i];
    if (!is_meant(op)) continue;
    const OperatorTime<double> t =
        operator_time<double>(op, run.cluster.device, kernel_choice(run));
    s.forward += t.forward.si();
    s.backward += (t.backward_input + t.backward_weight).si();
    const Launches launches = launches_of(op, run);
    s.launches_forward += launches.forward;
    s.launches_backward += launches.backward;
  }
  return s;
}

bool any(const ShardedOperator&) { return true; }

}  // namespace

TEST_CASE("a block takes the time and the launches of its operators") {
  const Run run = gpt_run();
  const BlockPrice<double> b = layer_of(run);
  const Sums all = sums_of(run, any);
  CHECK(b.compute[Phase::forward].si() == about(all.forward));
  CHECK(b.compute[Phase::backward].si() == about(all.backward));
  CHECK(b.compute[Phase::recompute_selective] == Seconds());
  CHECK(b.launches[Phase::forward] == about(all.launches_forward));
  CHECK(b.launches[Phase::backward] == about(all.launches_backward));
  CHECK(b.weight_gradient.si() > 0);
  CHECK(b.weight_gradient < b.compute[Phase::backward]);
}

TEST_CASE("selective recompute runs the operators of its modules again") {
  const Run run =
      gpt_run(R"({"parallel": {"recompute": "selective", "recompute_modules": ["core_attn"]}})");
  const BlockPrice<double> b = layer_of(run);
  const Sums again = sums_of(run, [](const ShardedOperator& op) {
    return (op.recomputed_by & mask_of(Module::core_attn)) != 0;
  });
  REQUIRE(again.forward > 0);
  CHECK(b.compute[Phase::recompute_selective].si() == about(again.forward));
  CHECK(b.launches[Phase::recompute_selective] == about(again.launches_forward));
  CHECK(b.compute[Phase::forward].si() == about(sums_of(run, any).forward));
  // QKᵀ and PV of a head: each 2·512·512·64 FLOPs, 16 heads, by Megatron-LM's count without a mask.
  CHECK(b.selective_flops.si() == about(2 * 2.0 * 512 * 512 * 64 * 16));
}

// 24·b·s·h² of the products and 4·b·s²·h of the scores (Megatron-LM, arXiv:2104.04473, appendix).
TEST_CASE("full recompute runs the forward of a layer again") {
  const BlockPrice<double> b = layer_of(gpt_run(R"({"parallel": {"recompute": "full"}})"));
  CHECK(b.compute[Phase::recompute_full].si() ==
        about(b.compute[Phase::forward].si()).epsilon(1e-12));
  CHECK(b.launches[Phase::recompute_full] == about(b.launches[Phase::forward]));
  CHECK(b.full_flops.si() == about(24.0 * 512 * 1024 * 1024 + 4.0 * 512 * 512 * 1024));
}

TEST_CASE("a convention counts all scores, the causal half or none of what runs again") {
  const auto flops = [](const char* convention) {
    Json change = Json::object();
    change["flops_convention"] = convention;
    change["parallel"]["recompute"] = "full";
    return layer_of(gpt_run(change.dump().c_str())).full_flops.si();
  };
  const double products = 24.0 * 512 * 1024 * 1024;
  const double scores = 4.0 * 512 * 512 * 1024;
  CHECK(flops("megatron") == about(products + scores));
  CHECK(flops("palm") == about(products + scores));
  CHECK(flops("causal") == about(products + scores * 513 / 1024));  // s·(s + 1)/2 pairs
  CHECK(flops("6n") == about(products));
}

// Context parallelism's ring calls attention once for the keys of each rank.
TEST_CASE("a ring of four launches attention four times each way") {
  const auto launches = [](int cp, Phase phase) {
    Json change = Json::object();
    change["parallel"]["cp"] = cp;
    change["training"]["flash_attention"] = true;
    Run run = gpt_run(change.dump().c_str());
    BlockPrice<double> b = layer_of(run);
    // Exchanges launch by themselves.
    double exchanges = 0;
    for (const ExchangeGroup g : kAllOf<ExchangeGroup>) {
      for (const ExchangeSum<double>& e : b.exchanges[phase][g])
        exchanges += 3 * static_cast<double>(e.count);
    }
    return b.launches[phase] - exchanges;
  };
  const double forward = launches(2, Phase::forward) - launches(1, Phase::forward);
  const double backward = launches(2, Phase::backward) - launches(1, Phase::backward);
  CHECK(forward > 0);
  CHECK(backward > 0);
  CHECK(launches(4, Phase::forward) - launches(1, Phase::forward) == about(3 * forward));
  CHECK(launches(4, Phase::backward) - launches(1, Phase::backward) == about(3 * backward));
}

// With fused attention the widest product is the MLP's: an output of 4096 and an input of 1024 a
// token, 2 bytes each. Unfused, the gradients of 16 heads' scores and probabilities are more:
// 2·16·512².
TEST_CASE("a backward pass works on the gradients of the widest product, or of the scores") {
  const BlockPrice<double> fused = layer_of(gpt_run(R"({"training": {"flash_attention": true}})"));
  CHECK(fused.activations.transient.si() == about(512.0 * (4096 + 1024) * 2));
  CHECK(layer_of(gpt_run()).activations.transient.si() == about(2 * 16 * 512.0 * 512 * 2));
  // Products without a backward pass have no gradients.
  ShardedBlock frozen = sharded_layer(gpt_run(R"({"training": {"flash_attention": true}})"));
  for (std::uint8_t i = 0; i < frozen.count; ++i) frozen.operators[i].backward = Backward::none;
  CHECK(transient_bytes(frozen, 2) == Bytes());
}

// The inputs of the four products of a layer are 1024, 1024, 1024 and 4096 wide, the gradients of
// their outputs 3072, 1024, 4096 and 1024.
TEST_CASE("weight gradients need the inputs of their products and the gradients of the outputs") {
  const Run run = gpt_run();
  const ShardedBlock block = sharded_layer(run);
  const double of_gradients =
      (weight_gradient_bytes(block, 2, 2) - weight_gradient_bytes(block, 2, 0)).si();
  CHECK(of_gradients == about(512.0 * (3072 + 1024 + 4096 + 1024) * 2));
  CHECK(weight_gradient_bytes(block, 2, 0).si() == about(512.0 * (1024 + 1024 + 1024 + 4096) * 2));
  CHECK(loss_bytes(block) == Bytes());
}

// The last product of a layer saves its input, so that nothing behind what computes it runs again;
// behind dropout, which saves its mask, all of it does.
TEST_CASE("a recomputed layer stops before its last product, unless dropout follows") {
  const ShardedBlock gpt = sharded_layer(gpt_run());
  CHECK(recomputable_end(gpt) == gpt.count);
  CHECK(last_needed(gpt) == gpt.count);
  const ShardedBlock llama = sharded_layer(testing::run_of(testing::json_of(R"({
    "model": "llama-3-8b", "cluster": {"node": "dgx-a100-80gb", "gpus": 8},
    "training": {"sequence_length": 512, "global_batch": 8},
    "parallel": {"recompute": "full"}, "framework": "generic"})")));
  const std::uint8_t end = last_needed(llama);
  REQUIRE(end < llama.count);
  CHECK(llama.operators[end].has_weight);
  CHECK(llama.operators[end].cols == 4096);
  CHECK(llama.operators[end].inner == 14336);
}

}  // namespace orrery
