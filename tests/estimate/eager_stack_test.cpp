// SPDX-License-Identifier: Apache-2.0
//
// Stacks that run operator by operator, worked by hand: the bytes and kernels of their chains, the
// host that launches them, FSDP's gathers, and the moments of a step at which memory is full.
#include <doctest/doctest.h>

#include "core/error.h"
#include "cost/operator_time.h"
#include "estimate/estimate.h"
#include "estimate/framework_document.h"
#include "estimate/price.h"
#include "estimate/run.h"
#include "model/chains.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr double kTokens = 512;
constexpr double kHiddenWidth = 1024;
constexpr std::int64_t kLayers = 8;

// One GPU, one micro batch of one sequence.
Run gated_run(const std::string& more = "{}") {
  const Json run = json_of(R"({
    "model": {"name": "m", "num_hidden_layers": 8, "hidden_size": 1024,
              "num_attention_heads": 16, "num_key_value_heads": 4, "intermediate_size": 4096,
              "vocab_size": 1024, "hidden_act": "swiglu"},
    "cluster": {"node": "dgx-h100", "gpus": 1},
    "training": {"sequence_length": 512, "global_batch": 1, "states": "pure-16bit"},
    "parallel": {"recompute": "none", "zero": 0}, "framework": "fused"})");
  return run_of(with(run, more));
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

Seconds term(const Answer& a, Term t) { return a.breakdown[t]; }

double launches_of_layer(const Run& run, Phase phase) {
  return price<double>(run).blocks[BlockType::layer_0].launches[phase];
}

ConfigLookup lookup_of(const std::string& name, const std::string& text) {
  ConfigLookup lookup;
  lookup.framework = [name, text](const std::string& asked) -> std::optional<ConfigText> {
    if (asked != name) return std::nullopt;
    return ConfigText{text, name + ".json"};
  };
  lookup.framework_names = [name] { return std::vector<std::string>{name}; };
  return lookup;
}

}  // namespace

TEST_CASE("FlashAttention takes keys that heads share, SDPA keys repeated for every head") {
  const auto repeated = [](const std::string& training) {
    const Run run = gated_run(R"({"framework": "hf-trainer", "training": )" + training + "}");
    return (list_options(run).unfused & mask_of(Chain::repeated_keys)) != 0;
  };
  CHECK_FALSE(repeated("{}"));
  CHECK_FALSE(repeated(R"({"attention_kernel": "flash-3"})"));
  CHECK(repeated(R"({"attention_kernel": "sdpa"})"));
  CHECK(repeated(R"({"flash_attention": false})"));
}

TEST_CASE("an eager RMSNorm in 16 bits moves 36 bytes an element forward and keeps an fp32 copy") {
  // To fp32 2 + 4, square 4 + 4, mean 4, scale 4 + 4, back 4 + 2, times the weight 2 + 2.
  const ChainCost norm = eager_rms_norm(2);
  CHECK(norm.forward_bytes == 36);
  CHECK(norm.kept_bytes == 4);
  CHECK(norm.kernels.forward == 8);
  // In fp32 nothing is cast and nothing kept besides.
  CHECK(eager_rms_norm(4).forward_bytes == 28);
  CHECK(eager_rms_norm(4).kept_bytes == 0);
  // Two products, half of it negated, a concatenation, a sum: 4 + 2 + 4 + 4 + 6.
  CHECK(eager_rotary(2).forward_bytes == 20);
  // The activation reads and writes, the product reads both halves and writes.
  CHECK(eager_gated_activation(2).forward_bytes == 10);
}

TEST_CASE("a chain that is not fused keeps what its operators save") {
  Run run = gated_run();
  const Bytes fused = price<double>(run).blocks[BlockType::layer_0].activations.kept_all;
  run.framework.kernels.unfused = mask_of(Chain::rms_norm);
  const Bytes norms = price<double>(run).blocks[BlockType::layer_0].activations.kept_all - fused;
  CHECK(near(norms.si(), 2 * 4 * kTokens * kHiddenWidth));  // two norms, an fp32 copy each
  run.framework.kernels.unfused = mask_of(Chain::gated_activation);
  const Bytes gate = price<double>(run).blocks[BlockType::layer_0].activations.kept_all - fused;
  CHECK(near(gate.si(), 2 * kTokens * 4096));  // the activated half
  run.framework.kernels.unfused = mask_of(Chain::repeated_keys);
  const Bytes keys = price<double>(run).blocks[BlockType::layer_0].activations.kept_all - fused;
  CHECK(near(keys.si(),
             2 * 2 * kTokens * (kHiddenWidth - kHiddenWidth / 4)));  // 16 heads where 4 were kept
}

TEST_CASE("recomputed layer norms leave what the final norm keeps") {
  Run run =
      gated_run(R"({"parallel": {"recompute": "selective", "recompute_modules": ["layernorm"]}})");
  run.framework.kernels.unfused = mask_of(Chain::rms_norm);
  const Prices<double> prices = price<double>(run);
  CHECK(prices.blocks[BlockType::layer_0].activations.kept <
        prices.blocks[BlockType::layer_0].activations.kept_all);
  CHECK(prices.blocks[BlockType::head].activations.kept ==
        prices.blocks[BlockType::head].activations.kept_all);
}

TEST_CASE("the host launches the kernels of a layer one after the other") {
  Run run = gated_run();
  // Norm, qkv, rope 2, attention 2, out, residual, norm, up, activation, down, residual.
  CHECK(launches_of_layer(run, Phase::forward) == 13);
  // 2 for each norm and product, 3 for attention, 2 rope, 1 activation, 2 residuals.
  CHECK(launches_of_layer(run, Phase::backward) == 2 * 2 + 4 * 2 + 3 + 2 + 1 + 2);
  run.framework.kernels.unfused = mask_of(Chain::rotary);
  CHECK(launches_of_layer(run, Phase::forward) == 13 - 2 + 10);
}

TEST_CASE("a pass takes no less than its launches, and no more where the GPU is slower") {
  Run run = gated_run();
  run.framework.host.launch = Seconds();
  const Answer alone = estimate(run);
  CHECK(term(alone, Term::host_exposed) == Seconds());
  run.framework.host.launch = Seconds(1e-12);
  CHECK(estimate(run).step_time == alone.step_time);
  run.framework.host.launch = Seconds(1);  // far above any kernel
  const Prices<double> prices = price<double>(run);
  double launches = 0;
  for (const BlockType b : kAllOf<BlockType>) {
    const auto& l = prices.blocks[b].launches;
    const double n = l[Phase::forward] + l[Phase::backward];
    launches += b < BlockType::embedding && n > 0 ? n * static_cast<double>(kLayers) : n;
  }
  const Answer bound = estimate(run);
  const Seconds ends = term(alone, Term::optimizer) + term(alone, Term::other);
  CHECK(near((bound.step_time - ends).si(), launches));
}

TEST_CASE("weights gathered after the backward before stand in the open") {
  Run run = gated_run(R"({"cluster": {"gpus": 16}, "training": {"global_batch": 16},
                          "parallel": {"zero": 3}})");
  run.framework.overlap.param_gather = run.framework.overlap.grad_reduce = true;
  run.framework.overlap.slowdown = 0;
  run.framework.gathers.prefetch_norm = 100;  // the longer of the two
  run.cluster.device.peak[Precision::bf16] = FlopsPerSecond(1e12);
  const Seconds hidden = term(estimate(run), Term::dp_exposed);
  run.framework.gathers.backward_prefetch = false;
  const Answer open = estimate(run);
  Seconds gathers{};
  for (std::uint8_t i = 0; i < open.comm_count; ++i) {
    if (open.comm[i].collective == Collective::all_gather) gathers += open.comm[i].time;
  }
  // Half of all gathers are those of backward; the embedding, whose pass is short, showed its
  // before.
  const double shown = (term(open, Term::dp_exposed) - hidden) / (gathers * 0.5);
  CHECK(shown > 0.95);
  CHECK(shown <= 1);
}

TEST_CASE("an optimizer over replicas without flat buffers sends its weights rank by rank") {
  Run run = gated_run(R"({"cluster": {"gpus": 16}, "training": {"global_batch": 16},
                          "parallel": {"zero": 1}, "framework": "generic"})");
  run.framework.overlap.param_gather = false;  // all of it shows
  const auto shown = [](Run r, Seconds by_rank) {
    r.framework.update.refresh_per_rank = by_rank;
    return term(estimate(r), Term::dp_exposed);
  };
  CHECK(run.framework.update.refresh_per_rank > Seconds());
  const Seconds apart = shown(run, Seconds(1e-3)) - shown(run, Seconds());
  CHECK(near(apart.si(), 16 * static_cast<double>(kLayers) * 1e-3));
  // Over the 8 GPUs of a node there are 8 ranks to send, and none where each rank updates all.
  run.strategy.partition.optimizer = 8;
  const Seconds of_node = shown(run, Seconds(1e-3)) - shown(run, Seconds());
  CHECK(near(of_node.si(), 8 * static_cast<double>(kLayers) * 1e-3));
  run.strategy.partition = {};
  run.strategy.zero = 0;
  CHECK(shown(run, Seconds(1)) == shown(run, Seconds()));
}

TEST_CASE("sharded weights, Megatron, DeepSpeed and compiled programs gather at once") {
  for (const char* name :
       {"fsdp", "fused", "deepspeed", "compiled", "megatron-core", "torchtitan"}) {
    CAPTURE(name);
    CHECK(gated_run(R"({"framework": ")" + std::string(name) + R"("})")
              .framework.update.refresh_per_rank == Seconds());
  }
}

TEST_CASE("memory is full at the loss, in the last layer or in the update, whichever is most") {
  Run run = gated_run();
  const StageMemory<double> before = memory_by_stage(run).front();
  // The update makes lists of 2 bytes a parameter; with a thousand of them it is the peak.
  run.framework.update.moment_lists = 1000;
  const StageMemory<double> update = memory_by_stage(run).front();
  CHECK(update[MemoryLine::activations] == Bytes());
  CHECK(near(update[MemoryLine::optimizer_working].si(), 1000 * before[MemoryLine::weights].si()));
  // Where gradients are freed with the step, none is there at the loss.
  run.framework.update.moment_lists = 0;
  run.framework.gradients.freed_with_step = true;
  const StageMemory<double> freed = memory_by_stage(run).front();
  const bool at_loss = freed[MemoryLine::gradients] == Bytes();
  CHECK(freed.allocated < before.allocated);
  CHECK(freed.allocated >= before.allocated - before[MemoryLine::gradients]);
  CHECK((at_loss || freed[MemoryLine::gradients] == before[MemoryLine::gradients]));
  // Sums over several micro batches stay.
  Run summed = gated_run(R"({"training": {"global_batch": 2}})");
  const StageMemory<double> kept = memory_by_stage(summed).front();
  summed.framework.gradients.freed_with_step = true;
  CHECK(memory_by_stage(summed).front().allocated == kept.allocated);
}

TEST_CASE("a profile takes what it does not state from the one it inherits from") {
  const ConfigLookup lookup =
      lookup_of("parent",
                R"({"name": "parent", "sharding": {"zero": 1}, "buffers": {"context": "1 GiB"},
          "sources": {"sharding.zero": "a", "buffers.context": "b"}})");
  const Json child = json_of(R"({"name": "child", "inherits": "parent",
      "sharding": {"zero": 3}, "sources": {"sharding.zero": "c"}})");
  const Json whole = with_inherited(child, "child.json", lookup);
  CHECK(whole["name"] == "child");
  CHECK(whole["sharding"]["zero"] == 3);
  CHECK(whole["buffers"]["context"] == "1 GiB");
  CHECK(whole["sources"]["sharding.zero"] == "c");
  CHECK(whole["sources"]["buffers.context"] == "b");
  CHECK(!whole.contains("inherits"));
  const ConfigLookup loop = lookup_of("self", R"({"name": "self", "inherits": "self"})");
  CHECK_THROWS_AS(with_inherited(json_of(R"({"inherits": "self"})"), "x.json", loop), InputError);
  CHECK_THROWS_AS(with_inherited(json_of(R"({"inherits": "none"})"), "x.json", lookup), InputError);
}

TEST_CASE("the attention kernel that a run names is the one that is priced") {
  const auto attention_of = [](const std::string& more) {
    const Run run = gated_run(more);
    return kernel_choice(run).attention;
  };
  CHECK(attention_of("{}") == AttentionKernel::cudnn);
  CHECK(attention_of(R"({"training": {"attention_kernel": "triton"}})") == AttentionKernel::triton);
  // Long enough for the device to be busier than the host.
  const Answer default_value = estimate(gated_run(R"({"training": {"sequence_length": 16384}})"));
  const Answer slower = estimate(
      gated_run(R"({"training": {"sequence_length": 16384, "attention_kernel": "triton"}})"));
  CHECK(slower.step_time > default_value.step_time);
}

TEST_CASE("what a layer's largest matrix has beyond the prefetch limit is gathered in the open") {
  Run run = gated_run(R"({"cluster": {"gpus": 8}, "training": {"global_batch": 8},
                          "parallel": {"zero": 3}})");
  const auto exposed = [&](std::int64_t limit) {
    run.framework.gathers.prefetch_limit = limit;
    return term(estimate(run), Term::dp_exposed);
  };
  constexpr std::int64_t kMatrix = 1024 * 2 * 4096;  // gate and up
  CHECK(exposed(kMatrix) == exposed(0));
  CHECK(exposed(kMatrix / 2) > exposed(0));
  CHECK(exposed(kMatrix / 4) > exposed(kMatrix / 2));
}
