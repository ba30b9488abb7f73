// SPDX-License-Identifier: Apache-2.0
//
// The bubble of a pipeline as published, from estimates of stages that are all but equal: hardware
// without launch time and with boundless memory bandwidth leaves the products only, and a
// vocabulary of 64 next to nothing of embedding and head.
#include <doctest/doctest.h>

#include "estimate/estimate.h"
#include "papers/golden.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Json equal_stages() {
  return json_of(R"({
    "model": {"name": "even", "num_hidden_layers": 32, "hidden_size": 8192,
              "num_attention_heads": 64, "vocab_size": 64, "max_position_embeddings": 2048,
              "dropout": false},
    "cluster": {"node": "dgx-a100-80gb", "gpus": 8,
                "device": {"memory_bandwidth": 1e30, "efficiency": {"launch": 0}}},
    "training": {"sequence_length": 2048, "precision": "fp16", "flash_attention": false},
    "parallel": {"recompute": "none", "dp": 1}})");
}

}  // namespace

TEST_CASE("bubbles of equal stages (Megatron-LM)") {
  check_golden("bubbles", 8, [](const Json& in) {
    Json json = equal_stages();
    json["parallel"]["pp"] = in.at("pp");
    json["parallel"]["vpp"] = in.at("vpp");
    json["parallel"]["schedule"] = in.at("schedule");
    json["cluster"]["gpus"] = in.at("pp");
    json["training"]["global_batch"] = in.at("micro_batches");
    Answer a = estimate(run_of(json));
    return a.breakdown[Term::pp_bubble] / a.breakdown[Term::compute];
  });
}
