// SPDX-License-Identifier: Apache-2.0
//
// A step on several kinds of node, played beside its closed form.
#include "sim/mixed_step.h"

#include <doctest/doctest.h>

#include "estimate/mixed_resolve.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

MixedRun unlike(const std::string& parallel, std::int64_t batch) {
  Json run = json_of(R"({
    "model": {"name": "m", "num_hidden_layers": 24, "hidden_size": 4096,
              "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
              "vocab_size": 32000, "hidden_act": "swiglu"},
    "cluster": {"groups": [{"name": "a", "node": "dgx-a100-80gb", "gpus": 32},
                           {"name": "h", "node": "dgx-h100", "gpus": 32}],
                "links": [{"bandwidth": "100 GB/s", "latency": "10 us"}]},
    "training": {"sequence_length": 4096, "micro_batch": 1},
    "framework": "megatron-core"})");
  run["training"]["global_batch"] = batch;
  run["parallel"] = json_of(parallel);
  return resolve_mixed(run, "run.json", shipped_configs()).run;
}

}  // namespace

TEST_CASE("played and closed form of unlike kinds agree within 0.6 percent") {
  for (const char* parallel :
       {R"({"tp": 8, "pp": 4, "recompute": "selective"})",
        R"({"tp": 8, "pp": 4, "schedule": "gpipe", "recompute": "selective"})",
        R"({"tp": 4, "pp": 4, "vpp": 2, "recompute": "selective"})",
        R"({"tp": 8, "zero": 1, "recompute": "selective"})",
        R"({"zero": 3, "recompute": "full"})"}) {
    CAPTURE(parallel);
    const MixedSimulation s = simulate_mixed(unlike(parallel, 512));
    const Seconds closed = s.closed.answer.step_time;
    CHECK(s.step.si() == about(closed.si()).epsilon(0.006));
    Seconds named = closed;
    for (const Difference& d : s.differences) named += d.time;
    CHECK(named.si() == about(s.step.si()).epsilon(1e-8));
  }
}
