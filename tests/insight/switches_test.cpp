// SPDX-License-Identifier: Apache-2.0
//
// Switches of the framework: those that change no training are tried, and keep what they promise.
#include "insight/switches.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "estimate/estimate.h"
#include "estimate/fits_at_risk.h"
#include "estimate/resolve.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Json run_under(const std::string& framework) {
  Json j = json_of(R"({
    "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 64},
    "training": {"sequence_length": 8192, "global_batch": 64},
    "parallel": {"tp": 8, "sequence_parallel": true, "recompute": "none"}})");
  j["framework"] = framework;
  return j;
}

bool has_switch(const std::vector<Switch>& all, const std::string& name) {
  return std::any_of(all.begin(), all.end(), [&](const Switch& s) {
    return s.path == "parallel.framework_options." + name;
  });
}

Seconds step_under(const Json& j) { return estimate(run_of(j)).step_time; }

const auto kAnySwitch = [](const std::string&) { return true; };

}  // namespace

TEST_CASE("what changes the training, or is a count, is no switch") {
  const auto titan = switches_of(resolved(run_under("torchtitan")));
  CHECK(has_switch(titan, "async_tp"));
  CHECK_FALSE(has_switch(titan, "float8"));
  const Json deepspeed =
      with(run_under("deepspeed"), R"({"parallel": {"tp": 1, "sequence_parallel": false}})");
  const auto others = switches_of(resolved(deepspeed));
  CHECK(has_switch(others, "kernels"));
  CHECK_FALSE(has_switch(others, "zero_quantized_weights"));
  CHECK_FALSE(has_switch(others, "stage3_prefetch_bucket_size"));
}

TEST_CASE("the advice of a switch is what the changed run takes") {
  const Json off = with(run_under("megatron-core"),
                        R"({"parallel": {"framework_options": {"tp_comm_overlap": false}}})");
  const ResolvedRun r = resolved(off);
  const std::vector<Advice> all = switch_advice(off, r, estimate(r.run), shipped_configs());
  REQUIRE(all.size() >= 1);
  for (const Advice& a : all) {
    const Json changed = with_settings(off, a.settings);
    CHECK(step_under(changed) == a.step_time);
    CHECK(a.step_time < estimate(r.run).step_time);
  }
  CHECK(all[0].settings[0].path == "parallel.framework_options.tp_comm_overlap");
}

TEST_CASE("the best switches are no slower than any single one") {
  const Json slow = with(run_under("megatron-lm"), R"({"training": {"flash_attention": false}})");
  const BestSwitches best = best_switches(slow, "run.json", shipped_configs(), kAnySwitch);
  CHECK(step_under(with_settings(slow, best.settings)) == best.step_time);
  for (const Switch& s : switches_of(resolved(slow))) {
    for (const std::string& value : s.others) {
      CAPTURE(s.path);
      CHECK(best.step_time.si() <= step_under(with_settings(slow, {{s.path, value}})).si() * 1.001);
    }
  }
  const auto none =
      best_switches(slow, "run.json", shipped_configs(), [](const std::string&) { return false; });
  CHECK(none.settings.empty());
  CHECK(none.step_time == step_under(slow));
}

TEST_CASE("a kernel of attention that transformers loads is advised where the device has it") {
  const auto run = [](const char* node) {
    Json j = json_of(R"({
      "model": "qwen3-8b", "cluster": {"gpus": 8},
      "training": {"sequence_length": 32768, "global_batch": 8, "precision": "bf16"},
      "parallel": {"zero": 3, "recompute": "full",
        "framework_options": {"kernels": "liger", "loss": "linear-fused"}},
      "framework": "hf-trainer"})");
    j["cluster"]["node"] = node;
    return j;
  };
  const auto has_kernel = [](const Json& j) {
    const ResolvedRun r = resolved(j);
    const auto all = switch_advice(j, r, estimate(r.run), shipped_configs());
    return std::any_of(all.begin(), all.end(), [](const Advice& a) {
      return a.settings[0].path == "training.attention_kernel" && a.settings[0].value == "flash-3";
    });
  };
  CHECK(has_kernel(run("dgx-h100")));
  CHECK_FALSE(has_kernel(run("dgx-a100-80gb")));
}

TEST_CASE("a fused loss is advised where logits fill the device") {
  const Json j = json_of(R"({
    "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 8},
    "training": {"sequence_length": 131072, "global_batch": 8}, "framework": "fsdp"})");
  const ResolvedRun r = resolved(j);
  const auto all = switch_advice(j, r, estimate(r.run), shipped_configs());
  const auto liger = std::find_if(all.begin(), all.end(), [](const Advice& a) {
    return a.fits && a.settings[0].value == "liger";
  });
  REQUIRE(liger != all.end());
  CHECK(step_under(with_settings(j, liger->settings)) == liger->step_time);
}

// Open, recompute would be chosen again for narrower weights, so that the run fits as likely as
// not.
TEST_CASE("a narrower base is advised with all layers recomputed") {
  const Json j = json_of(R"({
    "model": "flux.1-dev", "cluster": {"node": "rtx-3090-1x", "gpus": 1},
    "training": {"height": 1024, "global_batch": 1, "adapter": {"kind": "lora", "rank": 16}},
    "parallel": {"offload": {"parameters": "none"}}, "framework": "hf-trainer"})");
  const ResolvedRun r = resolved(j);
  const Answer a = estimate(r.run);
  REQUIRE(a.reason == Reason::device_memory);
  for (const Advice& x : switch_advice(j, r, a, shipped_configs())) {
    const bool narrower = std::any_of(x.settings.begin(), x.settings.end(), [](const Setting& s) {
      return s.path == "training.adapter.base_precision";
    });
    if (narrower) CHECK(x.fits);
  }
}

TEST_CASE("a run that fits less surely than it asks is told what makes it sure") {
  // hiyouga/LlamaFactory issue 4642: the logits of 32 k tokens.
  const Json j = json_of(R"({
    "model": "qwen2.5-7b", "cluster": {"node": "a800-80gb", "gpus": 8},
    "training": {"sequence_length": 32768, "global_batch": 16,
      "adapter": {"kind": "lora", "rank": 8}},
    "parallel": {"zero": 3, "recompute": "full",
      "offload": {"parameters": "host", "optimizer": "host"}}, "framework": "deepspeed"})");
  const ResolvedRun r = resolved(j);
  const Answer a = estimate(r.run);
  REQUIRE(a.reason == Reason::fits);
  REQUIRE_FALSE(fits_at_risk(r.run, a));
  const auto all = switch_advice(j, r, a, shipped_configs());
  REQUIRE_FALSE(all.empty());
  CHECK(std::all_of(all.begin(), all.end(),
                    [&](const Advice& x) { return x.fits || x.step_time < a.step_time; }));
  CHECK(std::any_of(all.begin(), all.end(), [](const Advice& x) { return x.fits; }));
}
