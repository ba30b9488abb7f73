// SPDX-License-Identifier: Apache-2.0
#include "validate/published.h"

#include <doctest/doctest.h>

#include "core/json.h"
#include "estimate/resolve.h"
#include "shipped_runs.h"
#include "support/about.h"

namespace orrery {
namespace {

// GPT-3 175B, 1536 A100: arXiv:2104.04473, table 2.
Run gpt3(const std::string& recompute) {
  const Json run = parse_json(R"({"model": {"num_hidden_layers": 96, "hidden_size": 12288,
      "num_attention_heads": 96, "vocab_size": 51200, "hidden_act": "gelu"},
      "cluster": {"node": "dgx-a100-80gb", "gpus": 1536},
      "training": {"sequence_length": 2048, "global_batch": 1536, "precision": "fp16",
                   "flash_attention": false},
      "parallel": {"tp": 8, "pp": 12, "zero": 0, "recompute": ")" +
                                  recompute + R"("}, "framework": "megatron-lm"})",
                              "run.json");
  return resolve_run(run, "run.json", testing::shipped_lookup()).run;
}

constexpr double kB = 1536, kL = 96, kS = 2048, kH = 12288, kV = 51200;

TEST_CASE("model FLOPs are 72BLsh²(1 + s/6h + V/12hL)") {
  const double closed = 72 * kB * kL * kS * kH * kH * (1 + kS / (6 * kH) + kV / (12 * kH * kL));
  CHECK(published_flops(gpt3("full"), FlopsKind::model).si() ==
        testing::about(closed).epsilon(1e-12));
}

TEST_CASE("hardware FLOPs under full recompute are 96BLsh²(1 + s/6h + V/16hL)") {
  const double closed = 96 * kB * kL * kS * kH * kH * (1 + kS / (6 * kH) + kV / (16 * kH * kL));
  CHECK(published_flops(gpt3("full"), FlopsKind::hardware).si() ==
        testing::about(closed).epsilon(1e-12));
}

TEST_CASE("without full recompute nothing counts twice") {
  const Run run = gpt3("selective");
  CHECK(published_flops(run, FlopsKind::hardware) == published_flops(run, FlopsKind::model));
}

TEST_CASE("seconds come before tokens, tokens before FLOP/s, FLOP/s before MFU") {
  const Run run = gpt3("full");
  Measured m;
  m.hfu = 0.5;
  CHECK(published_time(m, run).basis == Basis::hfu);
  m.mfu = 0.4;
  CHECK(published_time(m, run).basis == Basis::mfu);
  m.hardware_rate = FlopsPerSecond(141e12);
  CHECK(published_time(m, run).basis == Basis::hardware_rate);
  // Table 2 prints 141 TFLOP/s beside 23 days for 300 B tokens: 20.8 s for each of 95 367 steps.
  CHECK(published_time(m, run).time.si() == testing::about(23.0 * 86400 / 95367).epsilon(0.01));
  m.model_rate = FlopsPerSecond(100e12);
  CHECK(published_time(m, run).basis == Basis::model_rate);
  m.tokens_per_gpu = PerSecond(1024);
  CHECK(published_time(m, run).basis == Basis::tokens);
  CHECK(published_time(m, run).time.si() == 2.0);
  m.step_time = Seconds(3);
  CHECK(published_time(m, run).time.si() == 3.0);
}

TEST_CASE("nothing that tells time is nothing to judge by") {
  Measured m;
  m.peak_memory = Bytes(1);
  CHECK(published_time(m, gpt3("full")).basis == Basis::none);
}

}  // namespace
}  // namespace orrery
