// SPDX-License-Identifier: Apache-2.0
//
// Launches of a host for a layer, by stack, counted by hand.
#include <doctest/doctest.h>

#include "estimate/estimate.h"
#include "estimate/price.h"
#include "estimate/run.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Run layer_run(const std::string& more) {
  const Json run = json_of(R"({
    "model": {"name": "m", "num_hidden_layers": 8, "hidden_size": 1024,
              "num_attention_heads": 16, "num_key_value_heads": 4, "intermediate_size": 4096,
              "vocab_size": 1024, "hidden_act": "swiglu"},
    "cluster": {"node": "dgx-h100", "gpus": 1},
    "training": {"sequence_length": 512, "global_batch": 4, "micro_batch": 1,
                 "states": "pure-16bit"},
    "parallel": {"recompute": "none", "zero": 0}, "framework": "hf-trainer"})");
  return run_of(with(run, more));
}

constexpr const char* kMixture = R"({
    "model": {"num_local_experts": 16, "num_experts_per_tok": 2, "moe_intermediate_size": 512},
    "cluster": {"gpus": 8}, "training": {"global_batch": 32}, "parallel": {"ep": 8, "zero": 1},
    "framework": "megatron-core"})";

// The price of a dense layer, or of a layer of a mixture.
BlockPrice<double> layer_of(const Run& run) {
  return price<double>(run).blocks[is_moe(run.model) ? BlockType::layer_2 : BlockType::layer_0];
}

double launches(const Run& run, Phase phase) { return layer_of(run).launches[phase]; }

}  // namespace

// Forward: two norms of 8 kernels, seven products, ten for the rotary embedding, two for attention,
// two for the activation and its product, two residuals.
TEST_CASE("transformers launches a Llama layer operator by operator") {
  const Run run = layer_run("{}");
  CHECK(launches(run, Phase::forward) == 2 * 8 + 7 + 10 + 2 + 2 + 2);
  // Norms of 17; a product its two gradients and a sum of its own over micro batches; sums where
  // three and two products read one tensor; 18 rotary, 4 attention, 3 activation, 2 residuals.
  CHECK(launches(run, Phase::backward) == 2 * 17 + 7 * 3 + 2 + 1 + 18 + 4 + 3 + 2);
}

// An adapter: its dropout, two products, scaled and added, and its modules' three; the frozen
// product is none the dearer. Backward: no gradient of frozen weights, three for each narrow
// product, one for scaling, two where the input's gradients join, and its modules' two.
TEST_CASE("each LoRA branch launches its own kernels") {
  const auto adapted = [](const char* targets) {
    const std::string adapter =
        R"({"training": {"adapter": {"kind": "lora", "dropout": true, "targets": )" +
        std::string(targets) + "}}}";
    return layer_run(adapter);
  };
  const Run one = adapted(R"(["down"])");
  const Run two = adapted(R"(["down", "output"])");
  CHECK(launches(two, Phase::forward) - launches(one, Phase::forward) == 1 + 2 + 2 + 3);
  CHECK(launches(two, Phase::backward) - launches(one, Phase::backward) == 2 * 3 + 1 + 2 + 2);
}

TEST_CASE("products in 8 bits launch their casts") {
  const Run wide = layer_run(R"({"framework": "megatron-core"})");
  const Run narrow =
      layer_run(R"({"framework": "megatron-core", "training": {"precision": "fp8"}})");
  CHECK(launches(narrow, Phase::forward) - launches(wide, Phase::forward) == 4 * 2);
  CHECK(launches(narrow, Phase::backward) - launches(wide, Phase::backward) == 4 * 3);
}

// Two experts a rank: two grouped products of 15 calls and one kernel an expert.
TEST_CASE("a mixture launches its router, two permutations and experts one by one") {
  const Run few = layer_run(kMixture);
  Run more = few;
  more.model.moe.experts = 32;
  CHECK(launches(more, Phase::forward) - launches(few, Phase::forward) == 2 * 2);
  CHECK(launches(more, Phase::backward) - launches(few, Phase::backward) == 2 * 2 * 2);
}

TEST_CASE("graphs launch nothing, or a layer up to its experts at a stroke") {
  Run run = layer_run(kMixture);
  const double eager = launches(run, Phase::forward);
  run.framework.host.graphs = GraphScope::full;
  CHECK(launches(run, Phase::forward) == 0);
  CHECK(layer_of(run).before_wait[Phase::forward].launches == 0);
  run.framework.host.graphs = GraphScope::partial;
  // Norm, qkv, rope 2, attention 2, out, residual, norm, the router's product and 46 are one call
  // of 44 us, where a launch takes 36 us.
  CHECK(launches(run, Phase::forward) ==
        about(eager - (1 + 1 + 2 + 2 + 1 + 1 + 1 + 1 + 46) + 44.0 / 36));
}

// The replay of a graph runs no Python: no states of random numbers, no hooks of gathered weights.
TEST_CASE("a graph of a whole pass launches nothing for its checkpoints") {
  Run run = layer_run(R"({"framework": "fsdp", "cluster": {"gpus": 4},
                           "parallel": {"recompute": "full", "zero": 3}})");
  run.framework.gathers.host_wait = Seconds();
  run.framework.host.launch = Seconds(1);
  const auto host = [](const Run& r) { return estimate(r).breakdown[Term::host_exposed]; };
  CHECK(host(run) > Seconds(8 * 6));
  run.framework.host.graphs = GraphScope::full;
  CHECK(host(run) == Seconds());
}

// Three of four micro batches have another beside them: 0.78 of their exchange is exposed.
TEST_CASE("without a pipeline a second micro batch hides the exchange of experts") {
  const Run alone = layer_run(kMixture);
  Run run = alone;
  run.framework.overlap.ep_paired = true;
  const auto exposed = [](const Run& r) {
    return layer_of(r).exposed[Phase::forward].by_group[ExchangeGroup::ep].si();
  };
  REQUIRE(run.strategy.micro_batches == 4);
  CHECK(exposed(run) / exposed(alone) == about((1 + 3 * 0.78) / 4));
  run.strategy.micro_batches = 1;
  CHECK(exposed(run) == exposed(alone));
}
