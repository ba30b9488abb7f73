// SPDX-License-Identifier: Apache-2.0
//
// Recompute that a run leaves open: what a prediction takes, and how its alternatives widen the
// interval.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

#include "estimate/estimate.h"
#include "estimate/open_keys.h"
#include "estimate/origins.h"
#include "estimate/resolve.h"
#include "estimate/risk.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

// A 13 B model on eight GPUs with 8 micro batches; `gib` of memory each.
Json open_13b(double gib, const std::string& framework = "megatron-core") {
  Json run = json_of(R"({
    "model": "llama-2-13b",
    "cluster": {"node": "dgx-a100-80gb", "gpus": 8},
    "training": {"sequence_length": 4096, "global_batch": 16, "micro_batch": 2},
    "parallel": {"tp": 4, "sequence_parallel": true, "zero": 1}})");
  run["framework"] = framework;
  run["cluster"]["device"]["memory_capacity"] = std::to_string(gib) + " GiB";
  return run;
}

double fitting_of(const ResolvedRun& r) { return fit_probability(r.run, estimate(r.run)); }

// 0 none, 1 selective, 2 some layers, 3 full
int recompute_rank(const ResolvedRun& r) {
  const Strategy& s = r.run.strategy;
  if (s.recompute != Recompute::full) return static_cast<int>(s.recompute);
  return s.recompute_layers > 0 ? 2 : 3;
}

double interval_high(const Json& run) { return resolved(run).interval.high; }

}  // namespace

TEST_CASE("the framework's default is taken where it fits as likely as not") {
  const ResolvedRun r = resolved(open_13b(1000));
  CHECK(recompute_rank(r) == 0);
  REQUIRE(r.open.size() == 1);
  CHECK(r.open[0].path == "parallel.recompute");
  CHECK(r.open[0].taken == "none");
  CHECK(r.open[0].why == "megatron-core's default");
  CHECK(find_fact(r.assumed, "parallel.recompute")->known == Known::open);
  CHECK(recompute_rank(resolved(open_13b(1000, "torchtitan"))) == 1);
}

TEST_CASE("less memory takes the least recompute that fits as likely as not") {
  int before = 0;
  std::array<bool, 4> seen{};
  for (double gib = 200; gib > 10; gib *= 0.97) {
    const ResolvedRun r = resolved(open_13b(gib));
    CAPTURE(gib);
    CHECK(recompute_rank(r) >= before);
    before = recompute_rank(r);
    seen[static_cast<std::size_t>(before)] = true;
    if (before < 3) CHECK(fitting_of(r) >= 0.5);
  }
  CHECK(seen[0]);
  CHECK(seen[2]);
  CHECK(seen[3]);
}

TEST_CASE("where a prediction is tight a choice is not") {
  double gib = 200;
  while (fitting_of(resolved(open_13b(gib))) > 0.6) gib *= 0.99;
  const Json run = open_13b(gib);
  const ResolvedRun choice = resolve_chosen(run, "run.json", shipped_configs());
  CHECK(recompute_rank(choice) > recompute_rank(resolved(run)));
  CHECK(fitting_of(choice) >= 0.9);
  CHECK(choice.open.empty());
}

TEST_CASE("alternatives widen each side for itself") {
  // One in four runs takes e times as long: a spread of 0.5 in ln.
  const std::array alternatives = {Alternative{"full", 0.25, std::exp(1.0), 0.5},
                                   Alternative{"same", 0.5, 1, 1}};
  const StepInterval before{0.8, 1.25, 3, 2, ""};
  const StepInterval time = widened(before, alternatives, &Alternative::time_ratio);
  CHECK(time.low == about(0.8));
  CHECK(std::log(time.high) == about(std::hypot(std::log(1.25), 1.2816 * 0.5)));
  const StepInterval memory = widened(before, alternatives, &Alternative::memory_ratio);
  CHECK(memory.high == about(1.25));
  CHECK(std::log(memory.low) == about(-std::hypot(std::log(0.8), 1.2816 * 0.5 * std::log(2.0))));
}

TEST_CASE("an open key makes the interval wider, a stated one does not") {
  const Json open = open_13b(1000);
  const Json stated = with(open, R"({"parallel": {"recompute": "none"}})");
  CHECK(resolved(stated).open.empty());
  CHECK(interval_high(open) > 1.02 * interval_high(stated));
  CHECK(resolved(open).memory.low < resolved(stated).memory.low);
  // Steps of one's own hold what they ran with.
  const char* stack = R"({"stack": {"factor": 1, "spread": 0.1, "steps": 5}})";
  CHECK(interval_high(with(open, stack)) == interval_high(with(stated, stack)));
}

TEST_CASE("weights are shares of runs that would fit") {
  const ResolvedRun ample = resolved(open_13b(1000));
  double sum = 0;
  for (const Alternative& a : ample.open[0].alternatives) sum += a.weight;
  // 0.63 of fused stacks have none.
  CHECK(sum == about(0.37));
  // Where none is tight, more of the runs that fit recompute.
  double gib = 200;
  while (fitting_of(resolved(open_13b(gib))) > 0.6) gib *= 0.99;
  const ResolvedRun tight = resolved(open_13b(gib));
  REQUIRE(recompute_rank(tight) == 0);
  CHECK(tight.open[0].alternatives.back().weight > ample.open[0].alternatives.back().weight);
}

TEST_CASE("a value that an answer recorded as open is open again") {
  const ResolvedRun once = resolved(open_13b(1000));
  Json again = *once.inputs;
  again["assumed"] = Json::array();
  for (const Fact& f : assumed_facts(once)) again["assumed"].push_back(fact_json(f));
  CHECK(resolved(again).open.size() == 1);
  CHECK(resolved(again).interval.high == once.interval.high);
  again["parallel"]["recompute"] = "full";
  CHECK(resolved(again).open.empty());
}
