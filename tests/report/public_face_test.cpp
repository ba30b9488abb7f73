// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "orrery/orrery.h"
#include "report/estimate_json.h"
#include "support/sample_runs.h"

namespace orrery {
namespace {

Library shipped() {
  Library library;
  library.find = [](DocumentKind kind, const std::string& name) -> std::optional<Document> {
    constexpr const char* kFolders[] = {
        "models",      "hardware/nodes",  "hardware/devices", "frameworks",
        "compression", "hardware/graphs", "hardware/fabrics", "."};
    const auto found = testing::shipped_config(kFolders[static_cast<int>(kind)], name);
    if (!found) return {};
    return Document{found->text, found->file};
  };
  return library;
}

TEST_CASE("the public answer is that of the command line") {
  const RunAnswer a = estimate_run(testing::kGpt3, shipped());
  const RunReport r = testing::report_of(testing::gpt3());
  CHECK(a.feasible);
  CHECK(a.step_time == r.answer.step_time);
  CHECK(a.memory_peak == r.answer.memory.peak);
  CHECK(a.step_time_low < a.step_time);
  CHECK(a.step_time < a.step_time_high);
  CHECK(a.json == dump(estimate_json(r)));
}

TEST_CASE("a run that holds all its documents needs no library") {
  const Json inputs = estimate_json(testing::report_of(testing::gpt3()))["inputs"];
  Json run = inputs;
  const ResolvedRun r = testing::resolved(testing::gpt3());
  run["cluster"] = r.cluster.node;
  run["cluster"]["gpus"] = 1024;
  run["cluster"]["device"] = r.cluster.device;
  run["framework"] = parse_json(testing::shipped_config("frameworks", "megatron-lm")->text, "f");
  CHECK(estimate_run(run.dump(), {}).step_time ==
        estimate_run(testing::kGpt3, shipped()).step_time);
}

TEST_CASE("what is wrong is a runtime_error of one line") {
  try {
    estimate_run(R"({"model": "gpt3"})", {});
    FAIL("no error");
  } catch (const std::runtime_error& e) {
    CHECK(std::string(e.what()).find("run.json: model: found \"gpt3\"") == 0);
  }
}

}  // namespace
}  // namespace orrery
