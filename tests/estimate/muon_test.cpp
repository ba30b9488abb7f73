// SPDX-License-Identifier: Apache-2.0
//
// The time of Muon's update, beside NVIDIA's table on GB300 in MXFP8 ("Advancing Emerging
// Optimizers", developer.nvidia.com, Megatron-Bridge 26.02): model TFLOP/s with AdamW over those
// with Muon less the Newton-Schulz products. Batch sizes and graphs, not stated, are the recipes'.
#include <doctest/doctest.h>

#include "papers/golden.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

double growth_by_muon(const std::string& text) {
  Json run = json_of(text);
  const double adam = estimate(run_of(run)).step_time.si();
  run["training"]["optimizer"] = "muon";
  return estimate(run_of(run)).step_time.si() / adam;
}

}  // namespace

TEST_CASE("Muon's update takes 2 % of Kimi-K2's step on 256 GPUs") {
  const double growth = growth_by_muon(
      R"({"model": "kimi-k2", "cluster": {"node": "gb300-nvl72", "gpus": 256},
          "training": {"sequence_length": 4096, "global_batch": 4096, "micro_batch": 1,
                       "precision": "mxfp8"},
          "parallel": {"pp": 4, "vpp": 4, "ep": 64, "zero": 1,
                       "framework_options": {"cuda_graphs": "partial"}},
          "framework": "megatron-core"})");
  CHECK(growth == about(1051.0 / 1029).epsilon(0.01));
}

TEST_CASE("Muon's update takes 4 % of Qwen3-30B's step on 8 GPUs") {
  const double growth = growth_by_muon(
      R"({"model": "qwen3-30b-a3b", "cluster": {"node": "gb300-nvl72", "gpus": 8},
          "training": {"sequence_length": 4096, "global_batch": 512, "micro_batch": 4,
                       "precision": "mxfp8"},
          "parallel": {"ep": 8, "zero": 1, "framework_options": {"cuda_graphs": "partial"}},
          "framework": "megatron-core"})");
  CHECK(growth == about(713.0 / 686).epsilon(0.02));
}
