// SPDX-License-Identifier: Apache-2.0
#include "report/timeline.h"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "core/error.h"
#include "document/text.h"
#include "report/perfetto.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

SimulationReport simulated(const std::string& change) {
  const Json base = json_of(R"({"model": "gpt3-175b",
    "cluster": {"node": "dgx-a100-80gb", "gpus": 128},
    "training": {"sequence_length": 2048, "global_batch": 32, "precision": "bf16"},
    "parallel": {"tp": 8, "pp": 4}, "framework": "megatron-core"})");
  return report_on_simulation(resolved(with(base, change)), {});
}

Json trace_of(const SimulationReport& r, const std::string& ranks) {
  return parse_json(perfetto_trace(r, trace_ranks(r, ranks)), "trace");
}

}  // namespace

TEST_CASE("a trace nests on every track, its arrows have two ends and its ranks are of the run") {
  const SimulationReport r = simulated(R"({"parallel": {"vpp": 2, "schedule": "interleaved"}})");
  const Json trace = trace_of(r, "");
  std::map<std::pair<int, int>, double> free;
  std::set<int> begun;
  std::set<int> ended;
  std::set<int> ranks;
  std::size_t passes = 0;
  std::size_t crossed = 0;
  for (const Json& e : trace.at("traceEvents")) {
    const std::string ph = e.at("ph");
    ranks.insert(e.at("pid").get<int>());
    if (ph == "s") begun.insert(e.at("id").get<int>());
    if (ph == "f") ended.insert(e.at("id").get<int>());
    if (ph != "X") continue;
    const double begin = e.at("ts");
    double& until = free[{e.at("pid").get<int>(), e.at("tid").get<int>()}];
    crossed += begin < until - 0.002 ? 1 : 0;
    until = begin + e.at("dur").get<double>();
    passes += e.at("cat") == "kernel" && e.at("name") != "update" ? 1 : 0;
  }
  CHECK(crossed == 0);
  CHECK(begun == ended);
  CHECK(begun.size() == 2 * 7 * 8);
  CHECK(passes == r.simulation.graph.nodes.size());
  CHECK(ranks == std::set<int>{0, 32, 64, 96});
}

TEST_CASE("ranks are chosen, and what is not there or too much is refused") {
  const SimulationReport r = simulated("{}");
  CHECK(trace_ranks(r, "3,1-2,1") == std::vector<std::int64_t>{1, 2, 3});
  CHECK(trace_ranks(r, "all").size() == 128);
  for (const char* wrong : {"128", "-1", "2-1", "x", "1,,2", "1-", "0-9999999999"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(trace_ranks(r, wrong), InputError);
  }
}

TEST_CASE("the page and the picture show every pass and every stage") {
  const SimulationReport r = simulated("{}");
  const std::string page = timeline_html(r);
  CHECK(page.find("\"F0\"") != std::string::npos);
  CHECK(page.find("\"B7\"") != std::string::npos);
  CHECK(page.find("http") == std::string::npos);
  const std::string picture = text_of(timeline_picture(r, kTextWidth), {});
  CHECK(picture.find("     3  ") != std::string::npos);
  CHECK(picture == text_of(timeline_picture(simulated("{}"), kTextWidth), {}));
}
