// SPDX-License-Identifier: Apache-2.0
#include "report/explain.h"

#include <doctest/doctest.h>

#include <cmath>

#include "document/html.h"
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

TEST_CASE("parameters, saved tensors and FLOPs are sums down to the sizes of an operator") {
  const ResolvedRun r = testing::resolved(testing::gpt3());
  const Explanation memory = explain(r, *find_metric("memory.peak_gib"));
  // A layer of width h = 12,288 over tp 8: two norms of 2h, QKV h·3h/8 + 3h/8, output h/8·h + h,
  // 4h/8 columns up with biases, and down with h biases.
  REQUIRE(find(memory, "parameters of a dense layer") != nullptr);
  CHECK(find(memory, "parameters of a dense layer")->value == 226'576'896);
  CHECK(find(memory, "parameters of this rank")->children.size() == 4);
  CHECK(find(memory, "rows of the weight") != nullptr);
  // 34·s·b·h bytes a layer without attention's (Korthikanti et al., table 2), over tp 8 and with
  // sequence parallelism: 34 × 2,048 × 12,288 / 8.
  const ExplainedNode* saved = find(memory, "saved tensors of a block under this recompute");
  REQUIRE(saved != nullptr);
  CHECK(saved->children.size() > 5);
  CHECK(saved->value == 34.0 * 2048 * 12288 / 8);
  // 24sh² + 4s²h a layer (arXiv:2104.04473, appendix).
  const Explanation mfu = explain(r, *find_metric("mfu"));
  REQUIRE(find(mfu, "forward of a layer") != nullptr);
  CHECK(find(mfu, "forward of a layer")->value ==
        24.0 * 2048 * 12288 * 12288 + 4.0 * 2048 * 2048 * 12288);
}

TEST_CASE("a page has the whole tree, and what is repeated leads to its parts") {
  const ResolvedRun r = testing::resolved(testing::gpt3());
  const Explanation e = explain(r, *find_metric("step_time_s"));
  const std::string page = html_of(explain_document(r, e, 1));
  CHECK(page.find("<details id=") != std::string::npos);
  std::size_t links = 0;
  for (std::size_t at = page.find("href=\"#"); at != std::string::npos;
       at = page.find("href=\"#", at + 1)) {
    const std::string name = page.substr(at + 7, page.find('"', at + 7) - at - 7);
    CHECK(page.find("id=\"" + name + "\"") != std::string::npos);
    ++links;
  }
  CHECK(links > 10);
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
