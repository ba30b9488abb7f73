// SPDX-License-Identifier: Apache-2.0
//
// Steps played one after the other: a queue of unlike batches by hand, quantiles, lengths drawn.
#include "rl/played_steps.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/json.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Json async_run() {
  return json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 16},
      "framework": "megatron-core",
      "training": {"rl": {"algorithm": "grpo", "prompts": 32, "group": 8, "prompt_length": 200,
                          "response": {"mean": 800, "cap": 4096}, "packed_tokens": 4096}},
      "parallel": {"tp": 2, "recompute": "full"},
      "rollout": {"engine": "vllm", "tp": 1},
      "placement": {"kind": "async", "rollout_gpus": 8, "offload_reference": true}})");
}

struct Played {
  RlStep step;
  PlayedSteps steps;
};

Played played(const Json& run, std::int64_t n, std::uint64_t seed) {
  const ResolvedRun r = resolve_with_rl(run, "test", shipped_configs());
  Played p{rl_step_alone(r), {}};
  p.steps = play_steps(r, p.step, n, seed);
  return p;
}

}  // namespace

TEST_CASE("a queue of unlike batches, by hand") {
  // Staleness 1, no hand-over: generator 0-4, 4-14, then update 0 is there: 14-18.
  // Learner: 4-7, 14-17, 18-21.
  const auto u = play_updates({{Seconds(4), Seconds(3), Seconds()},
                               {Seconds(10), Seconds(3), Seconds()},
                               {Seconds(4), Seconds(3), Seconds()}},
                              1);
  CHECK(u[0].updated.si() == about(7));
  CHECK(u[1].made.si() == about(14));
  CHECK(u[1].updated.si() == about(17));
  CHECK(u[2].made.si() == about(18));
  CHECK(u[2].updated.si() == about(21));
  // Staleness 0: each batch waits for the update before it.
  const auto in_step = play_updates(
      {{Seconds(4), Seconds(3), Seconds(1)}, {Seconds(10), Seconds(3), Seconds(1)}}, 0);
  CHECK(in_step[1].begin.si() == about(8));
  CHECK(in_step[1].updated.si() == about(22));
}

TEST_CASE("quantiles lie between neighbours in proportion") {
  const std::vector<Seconds> values = {Seconds(4), Seconds(1), Seconds(3), Seconds(2), Seconds(5)};
  CHECK(quantile(values, 0.5).si() == about(3));
  CHECK(quantile(values, 0.1).si() == about(1.4));
  CHECK(quantile(values, 0.9).si() == about(4.6));
}

TEST_CASE("lengths are drawn from those of the run, by seed and step") {
  const std::vector<std::int64_t> lengths = {10, 20, 30, 40};
  const auto a = drawn_lengths(lengths, 1000, 1, 0);
  CHECK(a == drawn_lengths(lengths, 1000, 1, 0));
  CHECK(a != drawn_lengths(lengths, 1000, 1, 1));
  CHECK(a != drawn_lengths(lengths, 1000, 2, 0));
  CHECK(std::is_sorted(a.begin(), a.end()));
  for (const std::int64_t length : lengths) {
    const auto n = std::count(a.begin(), a.end(), length);
    CHECK(n > 200);
    CHECK(n < 300);
  }
}

TEST_CASE("played steps of equal answers are the estimate") {
  Json run = async_run();
  run["training"]["rl"]["response"]["distribution"] = "equal";
  const Played p = played(run, 6, 1);
  CHECK(p.steps.spread.p50.si() == about(p.step.step.value.si()));
  CHECK(p.steps.spread.p90.si() == about(p.steps.spread.p10.si()));
  CHECK(p.steps.steps.front().time.si() == about(p.step.queue.first.si()));
}

TEST_CASE("spans of a group do not overlap, and steps add up to the end") {
  for (const char* kind : {"async", "split", "colocated"}) {
    Json run = async_run();
    run["placement"]["kind"] = kind;
    if (std::string(kind) == "colocated") run["placement"].erase("rollout_gpus");
    const Played p = played(run, 5, 3);
    for (std::size_t g = 0; g < p.steps.groups; ++g) {
      Seconds end{};
      for (const RlSpan& s : p.steps.spans) {
        if (s.group != g) continue;
        CHECK(s.begin >= end);
        end = s.end;
      }
    }
    Seconds sum{};
    for (const RlPlayedStep& s : p.steps.steps) sum += s.time;
    CHECK(sum.si() == about(p.steps.end.si()));
  }
}

TEST_CASE("a wider distribution spreads the steps further") {
  Json run = async_run();
  const auto width = [&](double spread) {
    run["training"]["rl"]["response"] = {{"mean", 800}, {"spread", spread}, {"cap", 16384}};
    const PlayedSteps s = played(run, 12, 1).steps;
    return (s.spread.p90 - s.spread.p10).si();
  };
  CHECK(width(1.5) > 1.5 * width(0.1));
}

TEST_CASE("calls that hang are a tail between steps, not within each") {
  Json run = async_run();
  run["placement"] = {{"kind", "colocated"}, {"offload_optimizer", true}};
  run["training"]["rl"]["prompts"] = 4;
  run["training"]["rl"]["group"] = 8;
  run["training"]["rl"]["agent"] = {{"turns", 4}, {"tool", "2 s"}};
  const StepSpread without = played(run, 64, 1).steps.spread;
  // 0.003 of 32 answers hang: in 1 − 0.997³² = 9 % of the steps.
  run["training"]["rl"]["agent"]["hung"] = 0.003;
  run["training"]["rl"]["agent"]["timeout"] = "900 s";
  const PlayedSteps with = played(run, 64, 1).steps;
  CHECK(with.spread.p50.si() == doctest::Approx(without.p50.si()).epsilon(0.05));
  CHECK(with.spread.longest > without.longest + Seconds(800));
  const auto hung = std::count_if(with.steps.begin(), with.steps.end(), [&](const RlPlayedStep& s) {
    return s.time > without.longest + Seconds(100);
  });
  CHECK(hung >= 2);
  CHECK(hung <= 12);
}
