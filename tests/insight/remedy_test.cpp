// SPDX-License-Identifier: Apache-2.0
// The remedy for a run that does not fit; its flags can be typed as they stand.
#include "insight/remedy.h"

#include <doctest/doctest.h>

#include "estimate/risk.h"
#include "insight/switches.h"
#include "support/about.h"
#include "support/sample_runs.h"

namespace orrery {
namespace {

using testing::json_of;
using testing::resolved;

Json typed_over(Json run, const std::vector<Setting>& settings) {
  for (const Setting& s : settings) {
    const std::size_t dot = s.path.find('.');
    Json& object = run[s.path.substr(0, dot)];
    object[s.path.substr(dot + 1)] = Json::accept(s.value) ? Json::parse(s.value) : Json(s.value);
  }
  return run;
}

void check_remedy(const Json& run, const std::optional<Remedy>& remedy) {
  REQUIRE(remedy);
  CAPTURE(typed(remedy->settings));
  const ResolvedRun r = resolved(typed_over(run, remedy->settings));
  const Answer a = estimate(r.run);
  CHECK(r.run.cluster.gpus == remedy->gpus);
  CHECK(a.step_time == remedy->step_time);
  CHECK(a.memory.peak == remedy->peak);
  CHECK(fit_probability(r.run, a) == remedy->fit_probability);
  CHECK(remedy->fit_probability >= 0.9);
}

std::optional<Remedy> here(const Json& run) {
  return strategy_that_fits(run, "run.json", testing::shipped_configs());
}

std::optional<Remedy> fewest(const Json& run) {
  return fewest_gpus(run, "run.json", testing::shipped_configs());
}

Json big(std::int64_t gpus) {
  Json run = json_of(R"({"model": "llama-3-70b", "cluster": {"node": "dgx-h100"},
      "training": {"sequence_length": 8192, "global_batch": 128}, "framework": "megatron-core"})");
  run["cluster"]["gpus"] = gpus;
  return run;
}

}  // namespace

TEST_CASE("a run that does not fit gets a strategy that does, with the flags to type") {
  CHECK(estimate(resolved(big(64)).run).reason == Reason::device_memory);
  check_remedy(big(64), here(big(64)));
  const Json stated = testing::with(big(64), R"({"parallel": {"tp": 1, "pp": 1, "zero": 1,
      "recompute": "selective", "recompute_modules": ["core_attn", "mlp"]},
      "training": {"micro_batch": 2}})");
  check_remedy(stated, here(stated));
}

TEST_CASE("a key that is null is one that is left out") {
  Json run = big(8);
  run["parallel"] = nullptr;
  CHECK(here(run).has_value() == here(big(8)).has_value());
  check_remedy(run, fewest(run));
}

TEST_CASE("what is typed keeps a value of 1 that is not the default") {
  const Json zero = json_of(R"({"model": "llama-3-70b", "framework": "megatron-lm",
      "cluster": {"node": "dgx-h100", "gpus": 64}, "parallel": {"tp": 4},
      "training": {"sequence_length": 4096, "global_batch": 512, "micro_batch": 4}})");
  check_remedy(zero, here(zero));
  const Json etp = json_of(R"({"model": "qwen3-next-80b-a3b", "framework": "generic",
      "cluster": {"node": "dgx-a100-40gb", "gpus": 512},
      "training": {"sequence_length": 8192, "global_batch": 4096, "micro_batch": 2},
      "parallel": {"tp": 2, "pp": 2, "sequence_parallel": true, "recompute": "full", "zero": 2,
                   "ep": 2}})");
  check_remedy(etp, here(etp));
}

TEST_CASE("a run that no common layout fits gets the fewest GPUs that do") {
  CHECK_FALSE(here(big(8)));
  const std::optional<Remedy> more = fewest(big(8));
  check_remedy(big(8), more);
  CHECK(more->gpus > 8);
  CHECK(more->gpus <= 64);
  // One node fewer does not.
  CHECK_FALSE(here(big(more->gpus - 8)));
}

TEST_CASE("a host whose memory nobody gave is asked for more of it before more GPUs are") {
  const Json run = json_of(R"({"model": "llama-3-8b", "framework": "torchtitan",
      "cluster": {"node": "rtx-4090-2x", "gpus": 2},
      "training": {"sequence_length": 8192, "global_batch": 2}})");
  const auto remedy = with_more_host_memory(resolved(run));
  REQUIRE(remedy);
  CHECK(remedy->gpus == 2);
  CHECK(remedy->settings.back().path == "cluster.host.memory_capacity");
  const ResolvedRun r = resolved(with_settings(run, remedy->settings));
  const Answer a = estimate(r.run);
  CHECK(a.reason == Reason::fits);
  CHECK(a.step_time == remedy->step_time);
  CHECK(a.host_needed == remedy->host);
  Json given = run;
  given["cluster"]["host"]["memory_capacity"] = "128 GB";
  CHECK_FALSE(with_more_host_memory(resolved(given)));
}

TEST_CASE("machines of one GPU get a pipeline only where nothing else fits") {
  const Json run = json_of(R"({"model": "llama-3-8b", "framework": "torchtitan",
      "cluster": {"node": "rtx-4090-1x", "gpus": 1},
      "training": {"sequence_length": 2048, "global_batch": 64}})");
  const std::optional<Remedy> more = fewest(run);
  REQUIRE(more);
  CHECK(resolved(typed_over(run, more->settings)).run.strategy.pp == 1);
}

TEST_CASE("a small model needs one GPU") {
  Json run = big(8);
  run["model"] = "gpt3-1.3b";
  run["training"] = {{"sequence_length", 2048}, {"global_batch", 8}};
  const std::optional<Remedy> one = fewest(run);
  REQUIRE(one);
  CHECK(one->gpus == 1);
}

TEST_CASE("settings are typed by their flags, or by their path") {
  CHECK(typed({{"parallel.tp", "4"}, {"parallel.recompute_layers", "null"}}) ==
        "--tp 4 --set parallel.recompute_layers=null");
}

TEST_CASE("the fewest GPUs of a search are for the degrees and axes that it fixes") {
  const auto gpus_for = [](const char* parallel, const char* search) {
    const Json run = testing::with(big(64), parallel);
    const auto found =
        fewest_gpus_of_search(run, json_of(search), "run.json", testing::shipped_configs());
    return found ? found->gpus : 0;
  };
  const std::int64_t alone = gpus_for("{}", "null");
  CHECK(alone == fewest(big(64))->gpus);
  CHECK(gpus_for(R"({"parallel": {"tp": 8, "pp": 6}})", "null") % 48 == 0);
  CHECK(gpus_for(R"({"parallel": {"tp": 8, "pp": 6, "dp": 2}})", "null") == 96);
  CHECK(gpus_for(R"({"parallel": {"tp": 8, "pp": 1, "dp": 1}})", "null") == 0);  // does not fit
  CHECK(gpus_for("{}", R"({"constraints": ["memory.peak_gib <= 30"]})") > alone);
  CHECK(gpus_for("{}", R"({"axes": {"tp": [1], "pp": [1], "zero": [1]}})") == 0);
}

}  // namespace orrery
