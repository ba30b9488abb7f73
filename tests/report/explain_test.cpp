// SPDX-License-Identifier: Apache-2.0
#include "report/explain.h"

#include <doctest/doctest.h>

#include <cmath>

#include "document/text.h"
#include "estimate/estimate.h"
#include "estimate/mixed_resolve.h"
#include "insight/mixed_report.h"
#include "support/about.h"
#include "support/sample_runs.h"

namespace orrery {
namespace {

using testing::sample_runs;

TEST_CASE("every metric of every run, evaluated again from its recording, is the printed number") {
  for (const Json& json : sample_runs()) {
    const ResolvedRun r = testing::resolved(json);
    const Answer answer = estimate(r.run);
    CAPTURE(json.dump());
    for (const Metric& m : metrics()) {
      CAPTURE(m.key);
      const RecordedMetric recorded = record(r.run, m);
      if (recorded.value.node >= 0) {
        CHECK(evaluate_again(recorded.tape, recorded.value.node) == recorded.value.value);
      }
      // The sweep and the critical path sum in different orders.
      const double plain = m.value({r.run, answer});
      CHECK(recorded.value.value == testing::about(plain).epsilon(1e-9));
    }
  }
}

TEST_CASE("explanations end in inputs that say where they come from") {
  for (const Json& json : sample_runs()) {
    const ResolvedRun r = testing::resolved(json);
    for (const char* key : {"step_time_s", "memory.peak_gib", "mfu"}) {
      const Explanation e = explain(r, *find_metric(key));
      REQUIRE(e.nodes.size() > 3);
      for (std::size_t i = 0; i < e.nodes.size(); ++i) {
        const ExplainedNode& n = e.nodes[i];
        CAPTURE(n.name);
        CHECK(n.formula.empty() != n.source.empty());
        for (const std::size_t child : n.children) CHECK(child < i);
        CHECK(n.formula.find("nan") == std::string::npos);
      }
      CHECK(e.nodes.back().name == key);
    }
  }
}

const ExplainedNode* find(const Explanation& e, const std::string& name) {
  for (const ExplainedNode& n : e.nodes) {
    if (n.name == name) return &n;
  }
  return nullptr;
}

TEST_CASE("sources are those of the documents, the run file and the defaults") {
  const ResolvedRun r = testing::resolved(testing::gpt3());
  const Explanation e = explain(r, *find_metric("tokens_per_s"));
  REQUIRE(find(e, "device.peak.fp16") != nullptr);
  CHECK(find(e, "device.peak.fp16")->source.find("a100-sxm4-80gb: ") == 0);
  CHECK(find(e, "training.global_batch")->source == "run.json");
  CHECK(find(e, "framework.host.step_overhead")->source.find("megatron-lm: ") == 0);
  REQUIRE(find(e, "cluster.tiers.bandwidth [1]") != nullptr);
  CHECK(find(e, "cluster.tiers.bandwidth [1]")->source.find("dgx-a100-80gb: ") == 0);
}

TEST_CASE("inputs of a run on several kinds of node name the kind and its document") {
  const Json run = testing::json_of(R"({"model": "llama-3-8b",
      "cluster": {"groups": [{"name": "a", "node": "dgx-a100-80gb", "gpus": 32},
                             {"name": "h", "node": "dgx-h100", "gpus": 32}],
                  "links": [{"bandwidth": "20 GB/s", "latency": "30 us"}]},
      "training": {"sequence_length": 4096, "global_batch": 64},
      "parallel": {"tp": 4, "pp": 2, "recompute": "full"}})");
  const MixedReport r = mixed_report_on(resolve_mixed(run, "run.json", testing::shipped_configs()));
  const Explanation e = explain(r, *find_metric("step_time_s"));
  bool of_a = false;
  bool of_h = false;
  bool of_link = false;
  for (const ExplainedNode& n : e.nodes) {
    CAPTURE(n.name);
    CHECK(n.formula.empty() != n.source.empty());
    of_a = of_a || n.source.find("a: a100-sxm4-80gb: ") == 0;
    of_h = of_h || n.source.find("h: h100-sxm5-80gb: ") == 0;
    if (n.source.find(" – ") == std::string::npos) continue;
    of_link = true;
    const bool is_rate = n.name.find("cluster.tiers.bandwidth") == 0;
    CHECK(n.value == testing::about(is_rate ? 20e9 : 30e-6));
    CHECK(n.source.find("run.json") != std::string::npos);
  }
  CHECK(of_a);
  CHECK(of_h);
  CHECK(of_link);
}

TEST_CASE("a value set by the run is said to be") {
  const Json run =
      testing::with(testing::gpt3(), R"({"cluster": {"device": {"memory_bandwidth": "4 TB/s"}}})");
  const Explanation e = explain(testing::resolved(run), *find_metric("step_time_s"));
  CHECK(find(e, "device.memory_bandwidth")->source.find("set by the run") != std::string::npos);
}

TEST_CASE("depth cuts the text and says so") {
  const ResolvedRun r = testing::resolved(testing::gpt3());
  const Explanation e = explain(r, *find_metric("step_time_s"));
  const std::string one = text_of(explain_document(r, e, 1), {});
  const std::string all = text_of(explain_document(r, e, 100), {});
  CHECK(one.find("deeper than --depth 1") != std::string::npos);
  CHECK(all.find("deeper than") == std::string::npos);
  CHECK(one.size() < all.size());
}

TEST_CASE("a number that counts the cached blocks of a full device says so") {
  Json run = testing::with(testing::llama(), R"({"parallel": {"recompute": "full"},
                           "framework": "megatron-core"})");
  const auto note = [&run](const char* key) {
    return explain(testing::resolved(run), *find_metric(key)).note;
  };
  CHECK(note("memory.peak_gib").empty());
  const StageMemory<double> m = estimate(testing::resolved(run).run).memory;
  run["cluster"]["device"]["memory_capacity"] = ((m.needed + m.peak) / 2.0).si();
  for (const char* key : {"memory.peak_gib", "memory.overhead_gib", "memory.reserved_peak"}) {
    CHECK(note(key).find("the device is full: cached blocks") == 0);
  }
  for (const char* key : {"memory.needed_gib", "memory.allocated_peak", "step_time_s"}) {
    CHECK(note(key).empty());
  }
}

}  // namespace
}  // namespace orrery
