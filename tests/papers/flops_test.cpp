// SPDX-License-Identifier: Apache-2.0
//
// FLOPs as published, from the operator list and from what an estimate says is executed.
#include "model/flops.h"

#include <doctest/doctest.h>

#include "cost/operator_time.h"
#include "estimate/estimate.h"
#include "papers/golden.h"
#include "parallel/shard.h"
#include "support/about.h"
#include "support/gpt.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

double layer_forward(const Json& in) {
  const Architecture a = gpt(1, integer(in, "hidden"), integer(in, "heads"));
  const ListOptions o = unfused(integer(in, "sequence"), integer(in, "micro_batch"));
  const ShardedBlock layer = sharded_layer(a, o, Strategy{});
  Flops sum{};
  for (std::uint8_t i = 0; i < layer.count; ++i)
    sum += forward_flops(layer.operators[i].kind, layer.operators[i],
                         layer.operators[i].megatron_pairs);
  return sum.si();
}

Json run_with(const Json& in, const std::string& recompute) {
  Json run = json_of(R"({"model": {"name": "gpt"}, "cluster": {"node": "dgx-a100-80gb"},
                         "training": {"precision": "fp16", "flash_attention": false},
                         "parallel": {"tp": 8, "pp": 4}})");
  run["model"]["num_hidden_layers"] = in.at("layers");
  run["model"]["hidden_size"] = in.at("hidden");
  run["model"]["num_attention_heads"] = in.at("heads");
  run["model"]["vocab_size"] = in.at("vocab");
  run["cluster"]["gpus"] = 64;
  run["training"]["sequence_length"] = in.at("sequence");
  run["training"]["global_batch"] = in.at("global_batch");
  run["parallel"]["recompute"] = recompute;
  return run;
}

// FLOPs of all GPUs.
double executed(const Json& in, const std::string& recompute) {
  return estimate(run_of(run_with(in, recompute))).hardware_flops.si() * 64;
}

double iteration(const Json& in) {
  const Architecture a =
      gpt(integer(in, "layers"), integer(in, "hidden"), integer(in, "heads"), integer(in, "vocab"));
  return model_flops(a, FlopsConvention::megatron,
                     {integer(in, "sequence"), integer(in, "global_batch"), nullptr, {}})
      .si();
}

}  // namespace

TEST_CASE("FLOPs of a layer and of an iteration") {
  check_golden("flops", 9, [](const Json& in) {
    const std::string quantity = in.at("quantity").get<std::string>();
    if (quantity == "layer") return layer_forward(in);
    return quantity == "model" ? iteration(in) : executed(in, "full");
  });
}

TEST_CASE("without recompute the model's FLOPs are executed") {
  const Json in = json_of(R"({"sequence": 2048, "global_batch": 64, "hidden": 12288, "heads": 96,
                              "layers": 96, "vocab": 51200})");
  CHECK(executed(in, "none") == testing::about(iteration(in)).epsilon(1e-12));
  const Answer a = estimate(run_of(run_with(in, "none")));
  CHECK(a.model_flops.si() * 64 == testing::about(iteration(in)).epsilon(1e-12));
}

// The two batched products of attention run a third time: 4bs²h a layer more.
TEST_CASE("selective recompute executes the attention products again") {
  const Json in = json_of(R"({"sequence": 2048, "global_batch": 64, "hidden": 12288, "heads": 96,
                              "layers": 96, "vocab": 51200})");
  const double again = 4.0 * 64 * 2048 * 2048 * 12288 * 96;
  CHECK(executed(in, "selective") - executed(in, "none") == testing::about(again));
}
