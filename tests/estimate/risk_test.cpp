// SPDX-License-Identifier: Apache-2.0
// The probability of fitting, and what Orrery may choose at a risk.
#include "estimate/risk.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/error.h"
#include "estimate/estimate.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

const StepInterval kMemory{1 / 1.25, 1.25, 10, 3, ""};
const Bytes kCapacity(80e9);

double probability(double factor, Bytes needed) {
  return fit_probability(memory_risk({1 / factor, factor, 10, 3, ""}, kMostRisk).spread, needed,
                         kCapacity);
}

Json open_run(const char* change) {
  return with(json_of(R"({
    "model": "llama-3-70b",
    "cluster": {"node": "dgx-h100", "gpus": 128},
    "training": {"sequence_length": 8192, "global_batch": 512},
    "parallel": {"zero": 3},
    "framework": "fsdp"})"),
              change);
}

ResolvedRun chosen(const Json& run) { return resolve_chosen(run, "run.json", shipped_configs()); }

double probability_of(const ResolvedRun& r) { return fit_probability(r.run, estimate(r.run)); }

}  // namespace

TEST_CASE("a run fits with the share of its interval that the device holds") {
  CHECK(probability(1.25, kCapacity) == about(0.5));
  // Ten in a hundred lie beyond the upper end of an 80 % interval.
  CHECK(probability(1.25, kCapacity / 1.25) == about(0.9).epsilon(1e-4));
  CHECK(probability(1.25, kCapacity * 1.25) == about(0.1).epsilon(1e-3));
  CHECK(probability(1.25, Bytes()) == 1);
  CHECK(probability(1.5, kCapacity / 1.25) < 0.9);
}

TEST_CASE("what may be chosen at a risk runs out of memory with that probability") {
  for (const double risk : {0.01, 0.1, 0.3}) {
    const MemoryRisk r = memory_risk(kMemory, risk);
    CHECK(fit_probability(r.spread, kCapacity * r.share, kCapacity) ==
          about(1 - risk).epsilon(1e-6));
  }
  CHECK(memory_risk(kMemory, 0.1).share == about(0.8).epsilon(1e-4));
  CHECK(memory_risk(kMemory, kMostRisk).share == 1);
  CHECK(memory_risk({}, 0.1).share == 1);  // no published run to judge by
}

TEST_CASE("recompute that is chosen fits as surely as asked, and no more than it takes") {
  const ResolvedRun plain = chosen(open_run("{}"));
  CHECK(probability_of(plain) >= 0.9);
  ResolvedRun ample = plain;
  ample.run.cluster.device.memory_capacity = Bytes(1e12);
  CHECK(fit_rank(ample.run, estimate(ample.run)) == 0);
  ResolvedRun less = plain;
  less.run.strategy.recompute_layers -= 1;
  CHECK(probability_of(less) < 0.9);
  const ResolvedRun bold = chosen(open_run(R"({"risk": 0.5})"));
  CHECK(probability_of(bold) >= 0.5);
  CHECK(bold.run.strategy.recompute_layers < plain.run.strategy.recompute_layers);
  CHECK(probability_of(chosen(open_run(R"({"risk": 0.01})"))) >= 0.99);
}

// The last stage, with the logits, needs most; cached blocks fill both to the same peak on a device
// of 63 to 66 GiB.
TEST_CASE("the stage that needs most is judged, whichever has the highest peak") {
  for (int capacity = 55; capacity < 85; ++capacity) {
    Json json = json_of(R"({
      "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 64},
      "training": {"sequence_length": 8192, "global_batch": 128, "micro_batch": 8},
      "parallel": {"pp": 2, "tp": 4, "zero": 0, "recompute": "full"}, "framework": "eager"})");
    json["cluster"]["device"]["memory_capacity"] = std::to_string(capacity) + " GiB";
    const Run run = run_of(json);
    const Answer a = estimate(run);
    Bytes most{};
    for (const StageMemory<double>& m : memory_by_stage(run)) most = std::max(most, m.needed);
    CAPTURE(capacity);
    CHECK(a.needed == most);
    CHECK(fit_probability(run, a) ==
          fit_probability(run.memory_risk.spread, most, run.cluster.device.memory_capacity));
    CHECK(a.memory_stage == 1);
  }
}

TEST_CASE("a strategy that is stated stands, however tight it is") {
  const std::int64_t layers = chosen(open_run(R"({"risk": 0.5})")).run.strategy.recompute_layers;
  Json stated = open_run(R"({"parallel": {"recompute": "full", "recompute_method": "block"}})");
  stated["parallel"]["recompute_layers"] = layers;
  const ResolvedRun r = resolved(stated);
  CHECK(r.run.strategy.recompute_layers == layers);
  CHECK(probability_of(r) < 0.9);
  CHECK(fit_rank(r.run, estimate(r.run)) < 3);
}

TEST_CASE("a probability is said in whole percent, and none as certain") {
  CHECK(probability_words(1) == "over 99 %");
  CHECK(probability_words(0.9901) == "over 99 %");
  CHECK(probability_words(0.99) == "99 %");
  CHECK(probability_words(0.834) == "83 %");
  CHECK(probability_words(0.01) == "1 %");
  CHECK(probability_words(0) == "below 1 %");
}

TEST_CASE("a risk is a probability of at most a half") {
  CHECK_THROWS_AS(resolved(open_run(R"({"risk": 0.9})")), InputError);
  CHECK_THROWS_AS(resolved(open_run(R"({"risk": 0})")), InputError);
}
