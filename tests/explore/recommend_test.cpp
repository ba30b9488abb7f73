// SPDX-License-Identifier: Apache-2.0
// The strategy that a search recommends.
#include "explore/recommend.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "estimate/risk.h"
#include "explore/search.h"
#include "explore/sensitivity.h"
#include "explore/space_json.h"
#include "support/runs.h"
#include "support/sanitized.h"

namespace orrery {
namespace {

using testing::json_of;
using testing::shipped_configs;

MetricSource without_metrics() {
  return {{}, {}, [](std::size_t, const Run&, const Answer&) { return 0.0; }};
}

// The layouts that most people run, so that sixty searches stay short.
Json common_axes() {
  return json_of(R"({"axes": {"tp": [1, 2, 4, 8], "cp": 1, "micro_batch": {"max": 2},
                              "vpp": [1, 2, 20], "schedule": ["1f1b", "interleaved"],
                              "recompute": ["none", "selective", "full"]}})");
}

SearchRequest common_request(const Json& run) {
  return read_search(run, "run.json", shipped_configs(), common_axes(), without_metrics());
}

SearchAnswer common_answer(const SearchRequest& r, unsigned workers = 1) {
  SearchOptions o;
  o.top = 3;
  o.families = false;
  o.workers = workers;
  return search(r.space, o);
}

Run found_run(const SearchRequest& r, const Found& f) {
  Run run = r.space.bases[f.place.base].run;
  run.strategy = f.strategy;
  return run;
}

Json common_job(const std::string& model, const std::string& node, std::int64_t gpus) {
  return {{"model", model},
          {"cluster", {{"node", node}, {"gpus", gpus}}},
          {"training",
           {{"sequence_length", model == "gpt2-xl" ? 1024 : 2048}, {"global_batch", 4 * gpus}}},
          {"framework", "megatron-core"}};
}

}  // namespace

TEST_CASE("worse hardware is worse by the spread of stacks in the shipped table of accuracy") {
  const Json table = json_of(*testing::text_of_file(ORRERY_CONFIG_DIR "/accuracy.json"));
  CHECK(kStackSpread / std::exp(table["stack_spread"].get<double>()) ==
        doctest::Approx(1).epsilon(0.01));
}

TEST_CASE("of sixty jobs the recommended strategy fits with 0.9 and is within 3 % of the fastest") {
  const std::vector<std::string> models = {
      "llama-3-8b",   "llama-2-7b", "llama-2-13b", "llama-3-70b", "gpt3-175b", "llama-3-405b",
      "mixtral-8x7b", "gpt3-13b",   "gpt3-1.3b",   "qwen3-32b",   "gpt2-xl",   "mt-nlg-530b"};
  const std::vector<std::string> nodes = {"dgx-a100-80gb", "dgx-h100", "hgx-h200", "hgx-b200",
                                          "dgx-2-v100-32gb"};
  std::mt19937 dice(20261122);
  int found = 0;
  for (const std::string& model : models) {
    for (const std::string& node : nodes) {
      const std::int64_t gpus = 16LL << (dice() % 5);
      if (testing::kSanitized && dice() % 8 != 0) continue;
      if (!testing::shipped_config("models", model)) continue;
      CAPTURE(model + " on " + std::to_string(gpus) + " of " + node);
      const SearchRequest r = common_request(common_job(model, node, gpus));
      const SearchAnswer a = common_answer(r);
      if (a.best.empty()) continue;
      ++found;
      const Run recommended = found_run(r, a.recommended);
      const Run fastest = found_run(r, a.best[0]);
      const Answer answer = estimate(recommended);
      CHECK(answer.step_time == a.recommended.step_time);
      CHECK(answer.memory.peak == a.recommended.peak);
      CHECK(fit_probability(recommended, answer) >= 0.9 - 1e-9);
      CHECK(a.recommended.step_time <= a.best[0].step_time * kRecommendationBand);
      const bool as_sure = fit_rank(recommended, answer) == fit_rank(fastest, estimate(fastest));
      if (as_sure) CHECK(rare_count(recommended) <= rare_count(fastest));
    }
  }
  CHECK(found >= (testing::kSanitized ? 2 : 35));
}

TEST_CASE("what is recommended does not depend on the number of workers") {
  const SearchRequest r = common_request(common_job("llama-3-70b", "dgx-h100", 64));
  const Found alone = common_answer(r).recommended;
  for (const unsigned workers : {2U, 3U}) {
    const Found f = common_answer(r, workers).recommended;
    CHECK(f.place.unit == alone.place.unit);
    CHECK(f.place.point.number == alone.place.point.number);
  }
}

TEST_CASE("a shortlist takes the surer, then the simpler, then what loses less") {
  const Run plain = testing::run_of(common_job("llama-3-8b", "dgx-h100", 8));
  Proposal simple{{1, 0, {}}, plain, 1.02, 0, 2};
  Proposal fast{{2, 0, {}}, plain, 1.00, 0, 9};
  Proposal tight{{3, 0, {}}, plain, 0.99, 1, 0};
  Shortlist list;
  for (const Proposal& p : {tight, fast, simple}) list.offer(p);
  CHECK(list.recommended().place.unit == 1);
  // Alike but for the network between nodes, which one of them does not use.
  const Run inside = testing::run_of(testing::with(common_job("llama-3-8b", "dgx-h100", 16),
                                                   R"({"parallel": {"tp": 1, "pp": 1}})"));
  const Run over = testing::run_of(testing::with(common_job("llama-3-8b", "dgx-h100", 16),
                                                 R"({"parallel": {"tp": 16, "pp": 1}})"));
  const std::vector<double> regret = regrets({inside, over});
  CHECK(regret[0] == 0);
  CHECK(regret[1] > 0);
}

TEST_CASE("switches that few people run have a name") {
  const auto rare = [](const char* parallel) {
    return rare_switches(
        testing::run_of(testing::with(common_job("llama-3-70b", "dgx-h100", 64), parallel)));
  };
  CHECK(rare(R"({"parallel": {"tp": 8, "pp": 2, "sequence_parallel": true, "zero": 1,
                              "recompute": "selective"}})")
            .empty());
  CHECK(rare(R"({"parallel": {"tp": 8, "recompute": "none"}})").empty());
  CHECK(rare(R"({"parallel": {"pp": 4, "vpp": 10, "recompute": "none"}})").empty());
  CHECK(
      rare(R"({"parallel": {"pp": 4, "vpp": 20, "zero": 2, "recompute": "none"}})") ==
      std::vector<std::string>{"more than twelve chunks a stage", "ZeRO 2 or 3 beside a pipeline"});
}

}  // namespace orrery
