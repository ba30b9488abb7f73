// SPDX-License-Identifier: Apache-2.0
#include "insight/causes.h"

#include <doctest/doctest.h>

#include "insight/against.h"
#include "insight/switches.h"
#include "support/about.h"
#include "support/sample_runs.h"

namespace orrery {
namespace {

RunReport report() { return report_on(testing::resolved(testing::gpt3())); }

double none_of_these(const std::vector<StepCause>& causes) {
  for (const StepCause& c : causes) {
    if (c.what.rfind("none of these", 0) == 0) return c.probability;
  }
  return 0;
}

TEST_CASE("a log as predicted is explained by the causes, one far away by none of them") {
  const RunReport r = report();
  const Seconds step = r.answer.step_time;
  CHECK(none_of_these(causes_of(r, step, {})) == 0);
  CHECK(causes_of(r, step, {}).front().what == "the estimate's own error");
  for (const double factor : {0.1, 2000.0}) {
    const std::vector<StepCause> causes = causes_of(r, step * factor, {});
    CAPTURE(factor);
    CHECK(causes.front().what.rfind("none of these", 0) == 0);
    CHECK(causes.front().probability > 0.99);
  }
}

TEST_CASE("a network that nobody gave explains a slow step at the rate that it would have") {
  const Json run = testing::json_of(R"({"model": "llama-3-8b", "framework": "torchtitan",
      "cluster": {"node": "dgx-h100", "gpus": 16},
      "training": {"sequence_length": 8192, "global_batch": 16}})");
  const RunReport r = report_on(testing::resolved(run));
  const Seconds measured = r.answer.step_time * 3.3;
  const StepCause slow = causes_of(r, measured, {}).front();
  CHECK(slow.what.rfind("a slow network (nobody gave one)", 0) == 0);
  CHECK(slow.check.find("NET/Socket") != std::string::npos);
  REQUIRE(slow.settings.size() == 1);
  CHECK(slow.settings[0].path == "cluster.tiers.infiniband.bandwidth");
  const Json slower = with_settings(*r.resolved.inputs, slow.settings);
  // The rate has three digits.
  CHECK(estimate(testing::resolved(slower).run).step_time.si() ==
        testing::about(measured.si()).epsilon(0.01));
  CHECK(slow.probability > 0.5);
}

TEST_CASE("one GPU has no links that are slow") {
  const Json run = testing::json_of(R"({"model": "gpt3-1.3b", "framework": "generic",
      "cluster": {"node": "dgx-h100", "gpus": 1},
      "training": {"sequence_length": 2048, "global_batch": 8}})");
  const RunReport r = report_on(testing::resolved(run));
  for (const StepCause& c : causes_of(r, r.answer.step_time * 3, {})) {
    CHECK(c.what.rfind("a slow network", 0) != 0);
    CHECK(c.what.rfind("slow links", 0) != 0);
  }
}

TEST_CASE("a run that is faster than predicted has no cause that makes it slower") {
  const RunReport r = report();
  for (const StepCause& c : causes_of(r, r.answer.step_time * 0.6, {})) {
    CAPTURE(c.what);
    CHECK(c.step_time <= r.answer.step_time);
  }
}

TEST_CASE("half the rate between nodes is a cause however the fabric is stated") {
  const auto step_with_half_the_rate = [](const char* fabric) {
    Json run = testing::json_of(R"({"model": "llama-3-8b",
        "cluster": {"node": "dgx-h100", "gpus": 1024},
        "training": {"sequence_length": 4096, "global_batch": 1024, "micro_batch": 1},
        "parallel": {"tp": 1, "zero": 3, "recompute": "full",
                     "overlap": {"param_gather": false, "grad_reduce": false}}})");
    if (*fabric != 0) run["cluster"]["fabric"] = testing::json_of(fabric);
    const RunReport r = report_on(testing::resolved(run));
    for (const StepCause& c : causes_of(r, r.answer.step_time * 1.5, {})) {
      if (c.what.rfind("half the rate", 0) == 0) return c.step_time.si();
    }
    return 0.0;
  };
  const double plain = step_with_half_the_rate("");
  CHECK(plain > 0);
  for (const char* fabric : {R"({"kind": "fat-tree", "radix": 64, "oversubscription": 1})",
                             R"({"kind": "dragonfly", "nodes_per_group": 16, "taper": 1})"}) {
    CHECK(step_with_half_the_rate(fabric) == testing::about(plain).epsilon(0.05));
  }
}

TEST_CASE("what does not fit has not run, and a change settles recompute as a command does") {
  // Unfused attention of 8k tokens keeps 4as² bytes a layer: it fits with more recompute alone.
  const Json run = testing::json_of(R"({"model": "llama-3-8b",
      "cluster": {"node": "dgx-h100", "gpus": 64}, "framework": "fsdp",
      "training": {"sequence_length": 8192, "global_batch": 128}})");
  const ResolvedRun resolved = testing::resolved(run);
  REQUIRE(resolved.recompute_open);
  const RunReport r = report_on(resolved);
  const auto cause = [&](double factor, const char* what) {
    StepCause found;
    for (const StepCause& c : causes_of(r, r.answer.step_time * factor, {})) {
      if (c.what.rfind(what, 0) == 0) found = c;
    }
    return found;
  };
  const auto typed_step = [&](const char* change) {
    return estimate(testing::resolved(testing::with(run, change)).run).step_time;
  };
  const StepCause attention = cause(1.8, "the attention kernel is another");
  CHECK(attention.step_time == typed_step(R"({"training": {"flash_attention": false}})"));
  const StepCause batch = cause(1.1, "micro batches of twice the size");
  CHECK(batch.step_time == typed_step(R"({"training": {"micro_batch": 2}})"));
}

TEST_CASE("the optimizer's timer counts without the gathers of weights inside it") {
  TrainingLog log;
  log.step_time = Seconds(20);
  log.timers = {{"params-all-gather", Seconds(0.235)}, {"optimizer", Seconds(0.24)}};
  const TrainingAgainst compared = against(report(), log);
  const auto measured = [&](const char* name) {
    for (const AgainstLine& line : compared.lines) {
      if (line.name == name) return line.measured;
    }
    return 0.0;
  };
  CHECK(measured("data parallel") == testing::about(0.235));
  CHECK(measured("optimizer") == testing::about(0.005));
}

TEST_CASE("memory that no cause gives is explained by none, though the step is as predicted") {
  const RunReport r = report();
  const Bytes allocated = r.answer.memory.allocated;
  REQUIRE(allocated.si() > 0);
  CHECK(none_of_these(causes_of(r, r.answer.step_time, allocated)) == 0);
  CHECK(none_of_these(causes_of(r, r.answer.step_time, allocated * 0.05)) > 0.99);
}

TEST_CASE("probabilities fall, and those left out are less than two in a hundred each") {
  const RunReport r = report();
  double sum = 0;
  double last = 1;
  for (const StepCause& c : causes_of(r, r.answer.step_time * 1.2, {})) {
    CHECK(c.probability <= last);
    last = c.probability;
    sum += c.probability;
  }
  CHECK(sum <= 1 + 1e-12);
  CHECK(sum > 0.8);
}

}  // namespace
}  // namespace orrery
