// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>

#include "document/rows.h"
#include "insight/metrics.h"
#include "report/estimate.h"
#include "report/frame_json.h"
#include "support/about.h"
#include "support/sample_runs.h"

namespace orrery {
namespace {

using testing::report_of;
using testing::sample_runs;

double sum_of(const Json& object, const std::vector<std::string>& keys) {
  double sum = 0;
  for (const std::string& key : keys) sum += object.at(key).get<double>();
  return sum;
}

TEST_CASE("the parts of memory and the terms of time sum to their totals") {
  for (const Json& run : sample_runs()) {
    CAPTURE(run.dump());
    const Json j = estimate_json(report_of(run));
    const Json& m = j["memory"];
    const double parts = sum_of(m, {"weights_gib", "gradients_gib", "optimizer_gib",
                                    "activations_gib", "buffers_gib", "overhead_gib"});
    CHECK(parts == testing::about(m["peak_gib"].get<double>()).epsilon(1e-12));
    double lines = 0;
    for (const Json& line : m["lines"]) lines += line.get<double>();
    CHECK(lines == testing::about(m["peak_gib"].get<double>()).epsilon(1e-12));
    double terms = 0;
    for (const Json& term : j["breakdown_s"]) terms += term.get<double>();
    CHECK(terms == testing::about(j["step_time_s"].get<double>()).epsilon(1e-12));
  }
}

TEST_CASE("the contract's keys are there") {
  const Json j = estimate_json(report_of(testing::gpt3()));
  for (const char* key :
       {"feasible", "reasons", "step_time_s", "samples_per_s", "tokens_per_s",
        "tokens_per_s_per_gpu", "model_tflops_per_gpu", "hardware_tflops_per_gpu", "mfu", "hfu",
        "flops_convention", "breakdown_s", "memory", "communication", "interval_80", "inputs",
        "warnings", "schema_version", "tool_version"}) {
    CAPTURE(key);
    CHECK(j.contains(key));
  }
  CHECK(j["breakdown_s"].size() == kCountOf<Term>);
  CHECK(j["memory"]["by_stage"].size() == 8);
  CHECK(j["memory"].contains("capacity_gib"));
  CHECK(j["memory"]["allocated_peak"].get<double>() > 1e9);
  CHECK(j["interval_80"]["step_time_s"].size() == 2);
  REQUIRE_FALSE(j["communication"].empty());
  for (const char* key : {"dimension", "collective", "count", "bytes_per_gpu", "group", "tier",
                          "algorithm", "time_s", "exposed_s"}) {
    CHECK(j["communication"][0].contains(key));
  }
}

TEST_CASE("the time to train is that of whole steps, as capacity counts them") {
  Json run = testing::gpt3();
  run["training"]["tokens"] = 300'000'000'000;
  const RunReport r = report_of(run);
  const Json j = estimate_json(r);
  const Json& t = j["training"];
  CHECK(t["tokens"] == 300'000'000'000);
  CHECK(t["steps"] == 95368);  // 300e9 / (1536 × 2048) is 95,367.4
  CHECK(t["time_s"] == testing::about(95368 * j["step_time_s"].get<double>()));
  for (const std::size_t end : {0, 1}) {
    const double of_step = j["interval_80"]["step_time_s"][end].get<double>();
    CHECK(t["time_s_80"][end] == testing::about(95368 * of_step));
  }
  // A billionth of a step more is a rounding error, two steps are two.
  CHECK(piece_time("", r.resolved.run, r.answer, 2.0 * 1536 * 2048 + 1e-4).steps == 2);
  run["training"].erase("tokens");
  CHECK_FALSE(estimate_json(report_of(run)).contains("training"));
}

TEST_CASE("inputs, read again, give the same answer") {
  for (const Json& run : sample_runs()) {
    CAPTURE(run.dump());
    const Json first = estimate_json(report_of(run));
    const Json again = estimate_json(report_of(first["inputs"]));
    for (const Metric& m : metrics()) {
      const Json::json_pointer at("/" + [&] {
        std::string path(m.key);
        for (char& c : path) c = c == '.' ? '/' : c;
        return path;
      }());
      CHECK(first.at(at) == again.at(at));
    }
  }
}

TEST_CASE("what does not fit has a reason and every number all the same") {
  const RunReport r = report_of(sample_runs()[4]);
  const Json j = estimate_json(r);
  CHECK_FALSE(j["feasible"].get<bool>());
  REQUIRE(j["reasons"].size() == 1);
  CHECK(j["reasons"][0].get<std::string>().find("memory: stage 0 needs") == 0);
  CHECK(j["step_time_s"].get<double>() > 0);
}

TEST_CASE("a number that is not finite is never printed") {
  CHECK_THROWS_AS(dump(Json{{"a", {1.0, std::numeric_limits<double>::quiet_NaN()}}}),
                  std::logic_error);
  CHECK_THROWS_AS(dump(Json(std::numeric_limits<double>::infinity())), std::logic_error);
}

TEST_CASE("CSV has one cell a column") {
  const std::string csv = csv_of(estimate_document(report_of(testing::gpt3())).rows);
  const std::size_t line = csv.find('\n');
  const auto commas = [](const std::string& text) {
    return std::count(text.begin(), text.end(), ',');
  };
  CHECK(commas(csv.substr(0, line)) == commas(csv.substr(line)));
  CHECK(csv.rfind("feasible,step_time_s,", 0) == 0);
}

}  // namespace
}  // namespace orrery
