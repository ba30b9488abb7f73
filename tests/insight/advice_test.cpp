// SPDX-License-Identifier: Apache-2.0
#include "insight/advice.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "core/error.h"
#include "estimate/fits_at_risk.h"
#include "estimate/risk.h"
#include "explore/axes_json.h"
#include "explore/recommend.h"
#include "insight/limiter.h"
#include "insight/shown_bytes.h"
#include "support/about.h"
#include "support/sample_runs.h"
#include "support/sanitized.h"

namespace orrery {
namespace {

using testing::gpt3;
using testing::resolved;
using testing::with;

// The run file with an advice taken, as a user would take it.
Json taken(Json run, const Advice& advice) {
  for (const Setting& s : advice.settings) {
    Json* at = &run;
    std::string path = s.path;
    for (std::size_t dot = 0; (dot = path.find('.')) != std::string::npos;
         path = path.substr(dot + 1)) {
      at = &(*at)[path.substr(0, dot)];
    }
    (*at)[path] = Json::accept(s.value) ? Json::parse(s.value) : Json(s.value);
  }
  return run;
}

// Every advice on a run file, taken as it stands, gives what it promised.
void check_advice(const Json& run_file) {
  CAPTURE(run_file.dump());
  const ResolvedRun r = resolved(run_file);
  for (const Advice& a : advise(r, estimate(r.run))) {
    REQUIRE_FALSE(a.settings.empty());
    CAPTURE(a.settings[0].path + " " + a.settings[0].value);
    const ResolvedRun changed = resolved(taken(run_file, a));
    const Answer after = estimate(changed.run);
    CHECK(after.step_time.si() == testing::about(a.step_time.si()));
    CHECK(shown_bytes(changed.run, after).si() == testing::about(a.peak.si()));
    CHECK(fits_at_risk(changed.run, after) == a.fits);
    CHECK(fit_probability(changed.run, after) == testing::about(a.fit_probability));
  }
}

std::string value_in(const Advice& a, const std::string& path) {
  for (const Setting& s : a.settings) {
    if (s.path == path) return s.value;
  }
  return "";
}

TEST_CASE("advice taken gives the step time and the memory it promised") {
  // The resolved run: an advice leaves alone what was assumed.
  for (const Json& run : testing::sample_runs()) check_advice(*resolved(run).inputs);
}

// A run file as people write it: some keys are left open.
Json random_run(std::mt19937& dice) {
  const auto pick = [&dice](auto list) { return *(list.begin() + dice() % list.size()); };
  const auto maybe = [&dice] { return dice() % 2 == 0; };
  using Names = std::initializer_list<const char*>;
  using Counts = std::initializer_list<int>;
  Json run = {
      {"model",
       pick(Names{"llama-3-8b", "llama-3-70b", "gpt3-13b", "mixtral-8x7b", "qwen3-30b-a3b"})},
      {"cluster",
       {{"node", pick(Names{"dgx-a100-80gb", "dgx-h100", "hgx-b200"})},
        {"gpus", pick(Counts{8, 32, 64, 256})}}},
      {"training", {{"sequence_length", pick(Counts{2048, 8192})}, {"global_batch", 256}}},
      {"framework", pick(Names{"generic", "megatron-core", "fsdp", "deepspeed", "torchtitan"})}};
  const bool has_experts = run["model"] == "mixtral-8x7b" || run["model"] == "qwen3-30b-a3b";
  if (maybe()) run["training"]["micro_batch"] = pick(Counts{1, 2, 4});
  if (maybe()) run["training"]["flash_attention"] = maybe();
  Json& p = run["parallel"] = Json::object();
  if (maybe()) p["tp"] = pick(Counts{2, 4, 8});
  if (maybe()) p["pp"] = pick(Counts{2, 4});
  if (maybe() && p.contains("pp")) p["vpp"] = 2;
  const bool has_context = maybe();
  if (has_context && maybe()) p["cp"] = 2;
  if (has_experts && maybe()) p["ep"] = pick(Counts{2, 8});
  if (has_experts && maybe() && maybe()) p["etp"] = 1;
  if (maybe()) p["sequence_parallel"] = maybe();
  if (maybe()) p["zero"] = pick(Counts{0, 1, 3});
  if (maybe()) p["recompute"] = pick(Names{"none", "selective", "full"});
  return run;
}

TEST_CASE("advice on five hundred runs as people write them gives what it promised") {
  std::mt19937 dice(500);
  int legal = 0;
  for (int i = 0; i < (testing::kSanitized ? 20 : 500); ++i) {
    const Json run = random_run(dice);
    try {
      resolved(run);
    } catch (const InputError&) {
      continue;
    }
    ++legal;
    check_advice(run);
  }
  CHECK(legal > (testing::kSanitized ? 5 : 250));
}

TEST_CASE("an advice names the keys of the run file that cannot stand beside it") {
  const auto check = [](const char* parallel) {
    check_advice(with(gpt3(), std::string(R"({"parallel": )") + parallel + "}"));
  };
  check(R"({"recompute": "selective", "recompute_modules": ["core_attn", "mlp"]})");
  check(R"({"recompute": "full", "recompute_layers": 2, "recompute_method": "block"})");
  check(R"({"recompute": "full", "recompute_method": "uniform"})");
  check(R"({"zero": 1, "zero_shard_group": 16})");
  check(R"({"zero": null, "partition": {"weights": 1, "gradients": 1, "optimizer": 16}})");
}

TEST_CASE("recompute that is no longer selective takes its modules away, where the file has them") {
  const auto advice_of = [](const char* parallel) {
    const ResolvedRun r = resolved(with(gpt3(), parallel));
    for (const Advice& a : advise(r, estimate(r.run))) {
      if (value_in(a, "parallel.recompute") == "none") return a;
    }
    return Advice();
  };
  const char* listed =
      R"({"parallel": {"recompute": "selective", "recompute_modules": ["core_attn"]}})";
  CHECK(value_in(advice_of(listed), "parallel.recompute_modules") == "null");
  const Advice plain = advice_of(R"({"parallel": {"recompute": "selective"}})");
  CHECK(plain.settings.size() == 1);
}

TEST_CASE("a run that fits gets changes that are faster") {
  const ResolvedRun run = resolved(gpt3());
  const Answer answer = estimate(run.run);
  const std::vector<Advice> advice = advise(run, answer);
  REQUIRE_FALSE(advice.empty());
  CHECK(advice.size() <= kMostAdvice);
  for (const Advice& a : advice) {
    CHECK(a.fits);
    CHECK(a.step_time < answer.step_time);
  }
}

TEST_CASE("kinds of recompute and of sharding two steps away are tried too") {
  const auto best = [](const char* run) {
    const ResolvedRun r = resolved(testing::json_of(run));
    return advise(r, estimate(r.run)).at(0);
  };
  const Advice none = best(R"({"model": "llama-3-8b", "framework": "torchtitan",
      "cluster": {"node": "dgx-h100", "gpus": 128},
      "training": {"sequence_length": 4096, "global_batch": 32, "micro_batch": 2},
      "parallel": {"tp": 8, "sequence_parallel": true, "recompute": "full"}})");
  CHECK(value_in(none, "parallel.recompute") == "none");
  const Advice whole = best(R"({"model": "gpt3-1.3b", "framework": "eager",
      "cluster": {"node": "hgx-b200", "gpus": 512},
      "training": {"sequence_length": 2048, "global_batch": 256, "micro_batch": 2},
      "parallel": {"tp": 4, "recompute": "full", "zero": 3}})");
  CHECK(value_in(whole, "parallel.zero") == "0");
}

TEST_CASE("no change is named that runs out of memory more often than the run allows") {
  int named = 0;
  for (const Json& json : testing::sample_runs()) {
    const ResolvedRun run = resolved(json);
    for (const Advice& a : advise(run, estimate(run.run))) {
      if (!a.fits) continue;
      ++named;
      CHECK(a.fit_probability >= 1 - kDefaultRisk - 1e-9);
    }
  }
  CHECK(named > 0);
}

TEST_CASE("a change within what a prediction tells apart is no advice") {
  std::size_t advised = 0;
  for (const Json& json : testing::sample_runs()) {
    const ResolvedRun run = resolved(json);
    const Answer answer = estimate(run.run);
    if (!fits_at_risk(run.run, answer)) continue;  // a tight run is advised what makes it sure
    for (const Advice& a : advise(run, answer)) {
      CHECK(a.step_time * kRecommendationBand <= answer.step_time);
      ++advised;
    }
  }
  CHECK(advised > 0);
}

bool names(const std::vector<Advice>& all, const char* path, const char* value) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Advice& a) { return a.fits && value_in(a, path) == value; });
}

TEST_CASE("two ways to one run are named once") {
  Json json = testing::json_of(R"({"model": "llama-3-8b", "framework": "torchtitan",
      "cluster": {"node": "dgx-h100", "gpus": 8}, "parallel": {"cp": 8, "recompute": "full"},
      "training": {"sequence_length": 131072, "global_batch": 8}})");
  const ResolvedRun run = resolved(json);
  const std::vector<Advice> all = advise(run, estimate(run.run));
  REQUIRE_FALSE(all.empty());
  for (std::size_t i = 1; i < all.size(); ++i) {
    CHECK(typed(all[i].settings) != typed(all[i - 1].settings));
  }
}

TEST_CASE("a slow network is advised shards within a node") {
  const Json json = testing::json_of(R"({"model": "llama-3-8b", "framework": "fsdp",
      "cluster": {"node": "dgx-h100", "gpus": 16,
                  "tiers": {"infiniband": {"bandwidth": "12.5 GB/s"}}},
      "training": {"sequence_length": 8192, "global_batch": 64}})");
  const ResolvedRun run = resolved(json);
  CHECK(names(advise(run, estimate(run.run)), "parallel.zero_shard_group", "8"));
  check_advice(json);
}

TEST_CASE("one long sequence is advised context parallelism over a node, with full recompute") {
  const Json json = testing::json_of(R"({"model": "llama-3-8b", "framework": "fsdp",
      "cluster": {"node": "dgx-h100", "gpus": 8},
      "training": {"sequence_length": 131072, "global_batch": 8}})");
  const ResolvedRun run = resolved(json);
  const std::vector<Advice> all = advise(run, estimate(run.run));
  CHECK(names(all, "parallel.cp", "8"));
  CHECK(names(all, "parallel.recompute", "full"));
  check_advice(json);
}

TEST_CASE("parameters and optimizer go to the host together where neither alone fits") {
  const Json json = testing::json_of(R"({"model": "llama-3-8b", "framework": "torchtitan",
      "cluster": {"node": "rtx-4090-2x", "gpus": 2, "host": {"memory_capacity": "256 GB"}},
      "training": {"sequence_length": 8192, "global_batch": 2}})");
  const ResolvedRun run = resolved(json);
  const std::vector<Advice> all = advise(run, estimate(run.run));
  REQUIRE(first_that_fits(all) != nullptr);
  CHECK(value_in(*first_that_fits(all), "parallel.offload.optimizer") == "host");
  CHECK(value_in(*first_that_fits(all), "parallel.offload.parameters") == "host");
  check_advice(json);
}

TEST_CASE("advice keeps to what the framework can run") {
  for (const int gpus : {8, 32, 128}) {
    for (const char* recompute : {"full", "none"}) {
      Json json = testing::with(testing::llama(), R"({"framework": "hf-trainer"})");
      json["cluster"]["gpus"] = gpus;
      json["parallel"]["recompute"] = recompute;
      const ResolvedRun run = resolved(json);
      for (const Advice& a : advise(run, estimate(run.run))) {
        for (const Setting& s : a.settings) {
          CAPTURE(s.path + " " + s.value);
          CHECK(s.value != "selective");
          for (const char* degree : {"parallel.tp", "parallel.pp"}) {
            CHECK(s.path != degree);
          }
        }
      }
    }
  }
}

TEST_CASE("a value that a run has already asked for is no new one") {
  const ResolvedRun run = resolved(with(gpt3(), R"({"framework": "fsdp"})"));
  const FrameworkLimits limits = framework_limits(run);
  Strategy after = run.run.strategy;
  after.micro_batch = 2;
  CHECK_FALSE(goes_beyond(limits, run.run.strategy, after));  // tp 8 and pp 8 were there
  after.tp = 4;
  CHECK(goes_beyond(limits, run.run.strategy, after));
  after.tp = 1;
  CHECK_FALSE(goes_beyond(limits, run.run.strategy, after));
}

TEST_CASE("ZeRO beside a pipeline is what the framework has") {
  const ResolvedRun run = resolved(with(gpt3(), R"({"framework": "deepspeed"})"));
  const FrameworkLimits limits = framework_limits(run);
  Strategy after = run.run.strategy;
  after.zero = 2;
  CHECK(goes_beyond(limits, run.run.strategy, after));
  after.pp = 1;
  CHECK_FALSE(goes_beyond(limits, run.run.strategy, after));
}

TEST_CASE("a run that does not fit gets changes that do, two where one is not enough") {
  const ResolvedRun one = resolved(with(gpt3(), R"({"parallel": {"pp": 1, "dp": 128}})"));
  REQUIRE(estimate(one.run).reason == Reason::device_memory);
  const std::vector<Advice> advice = advise(one, estimate(one.run));
  REQUIRE_FALSE(advice.empty());
  for (const Advice& a : advice) {
    CHECK(a.fits);
    CHECK(a.peak <= one.run.cluster.device.memory_capacity);
  }
}

TEST_CASE("weights on the host are tried where weights are sharded") {
  // 70 B parameters in nf4 over two cards of 24 GB: 18 GiB of weights each.
  const ResolvedRun r = resolved(parse_json(
      R"({"model": "llama-2-70b", "framework": "fsdp",
          "cluster": {"node": "rtx-3090-4x", "gpus": 2},
          "training": {"sequence_length": 2048, "global_batch": 2,
                       "adapter": {"kind": "qlora", "rank": 64}},
          "parallel": {"zero": 3, "recompute": "full"}})",
      "run.json"));
  REQUIRE(estimate(r.run).reason == Reason::device_memory);
  const std::vector<Advice> advice = advise(r, estimate(r.run));
  REQUIRE_FALSE(advice.empty());
  CHECK(advice.front().fits);
  const std::vector<Setting>& settings = advice.front().settings;
  CHECK(std::any_of(settings.begin(), settings.end(), [](const Setting& s) {
    return s.path == "parallel.offload.parameters" && s.value == "host";
  }));
}

TEST_CASE("frozen blocks beside an adapter come in turn on one GPU") {
  // 12 B parameters in 16 bits on a card of 24 GB.
  const ResolvedRun r = resolved(parse_json(
      R"({"model": "flux.1-dev", "cluster": {"node": "rtx-3090-1x", "gpus": 1},
          "training": {"height": 1024, "global_batch": 1, "adapter": {"kind": "lora", "rank": 16}},
          "parallel": {"recompute": "full"}, "framework": "generic"})",
      "run.json"));
  REQUIRE(estimate(r.run).reason == Reason::device_memory);
  const std::vector<Advice> advice = advise(r, estimate(r.run));
  REQUIRE_FALSE(advice.empty());
  CHECK(advice.front().fits);
  CHECK(value_in(advice.front(), "parallel.offload.parameters") == "host");
}

// Gathers of ZeRO 3 over a slow network; gathered once, the weights leave no memory without
// recompute.
TEST_CASE("a faster change that does not fit is tried with more recompute") {
  const ResolvedRun r = resolved(parse_json(
      R"({"model": "qwen2.5-1.5b", "framework": "deepspeed",
          "cluster": {"node": "g5-48xlarge", "gpus": 4, "devices_per_node": 2,
                      "tiers": {"pcie": {"size": 2}}},
          "training": {"sequence_length": 2048, "global_batch": 16},
          "parallel": {"zero": 3, "recompute": "none"}})",
      "run.json"));
  const std::vector<Advice> advice = advise(r, estimate(r.run));
  REQUIRE_FALSE(advice.empty());
  CHECK(advice.front().fits);
  CHECK(value_in(advice.front(), "parallel.recompute") == "full");
  CHECK(!value_in(advice.front(), "parallel.zero").empty());
  CHECK(advice.front().step_time < 0.8 * estimate(r.run).step_time);
}

TEST_CASE("what is nearer to fitting needs less of the memory that is short") {
  const ResolvedRun full = resolved(parse_json(
      R"({"model": "llama-3-70b", "framework": "deepspeed",
          "cluster": {"node": "rtx-4090-pcie", "gpus": 8},
          "training": {"sequence_length": 2048, "global_batch": 8},
          "parallel": {"zero": 3, "recompute": "full",
                       "offload": {"optimizer": "host", "parameters": "host"}}})",
      "run.json"));
  const Answer answer = estimate(full.run);
  REQUIRE(answer.reason == Reason::host_memory);
  for (const Advice& a : advise(full, answer)) {
    CHECK((a.fits || a.host < answer.host_needed));
  }
}

TEST_CASE("every neighbour keeps GPUs and batch") {
  const Run run = resolved(gpt3()).run;
  int legal = 0;
  for (const Move move : kMoves) {
    Run changed = run;
    if (!make_neighbour({&move, 1}, changed)) continue;
    ++legal;
    CHECK(world_size(changed.strategy) == 1024);
    CHECK(changed.strategy.dp * changed.strategy.micro_batch * changed.strategy.micro_batches ==
          1536);
    CHECK_FALSE(differences(run, changed, {}).empty());
  }
  CHECK(legal > 8);
}

TEST_CASE("the limiter names the largest loss") {
  const auto sentence = [](const char* change) {
    const Run run = resolved(with(gpt3(), change)).run;
    return limiter(run, estimate(run));
  };
  CHECK(sentence(R"({})").find("kernels below the dense peak") == 0);
  CHECK(sentence(R"({"training": {"global_batch": 64}})").find("pipeline bubble, ") == 0);
  CHECK(sentence(R"({"parallel": {"pp": 1}})").find("memory: ") == 0);
  CHECK(sentence(R"({"cluster": {"tiers": {"nvswitch": {"bandwidth": "3 GB/s"}}}})")
            .find("tensor-parallel communication, ") == 0);
}

}  // namespace
}  // namespace orrery
