// SPDX-License-Identifier: Apache-2.0
//
// Switches of the framework: those that change no training are tried, and keep what they promise.
#include "insight/switches.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "estimate/estimate.h"
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
