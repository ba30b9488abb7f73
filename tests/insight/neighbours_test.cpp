// SPDX-License-Identifier: Apache-2.0
#include "insight/neighbours.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

// The delay of traffic of length c that begins `phase` into the other's period: two flows on one
// link, half of it each while both send.
double played(double c, double period, double sends, double phase) {
  double left = c;
  double at = phase;  // of the other's own work: it sends first, then computes
  double now = 0;
  while (left > 1e-12) {
    const bool both = at < sends;
    const double until = both ? sends - at : period - at;
    const double work = std::min(left, until);
    left -= work;
    at += work;
    now += both ? 2 * work : work;
    if (at >= period - 1e-12) at = 0;
  }
  return now - c;
}

}  // namespace

TEST_CASE("the delay beside a neighbour is that of two flows on one link over all phases") {
  struct Case {
    double c, period, sends;
  };
  for (const Case& one : {Case{0.3, 1, 0.2}, Case{0.2, 1, 0.3}, Case{0.7, 1, 0.6},
                          Case{2.6, 1, 0.25}, Case{0.1, 3, 0.1}, Case{0.5, 1, 1}}) {
    const double c = one.c;
    const double period = one.period;
    const double sends = one.sends;
    CAPTURE(c);
    CAPTURE(period);
    CAPTURE(sends);
    std::vector<double> delays;
    constexpr int kPhases = 4000;
    for (int i = 0; i < kPhases; ++i) {
      delays.push_back(played(c, period, sends, period * (i + 0.5) / kPhases));
    }
    std::sort(delays.begin(), delays.end());
    double sum = 0;
    for (const double d : delays) sum += d;
    const TrafficDelay closed = delay_beside(Seconds(c), Seconds(period), Seconds(sends));
    CHECK(closed.mean.si() == about(sum / kPhases).epsilon(1e-3));
    const double grain = period / kPhases;
    CHECK(std::abs(closed.worst.si() - delays.back()) <= grain);
    CHECK(std::abs(closed.at_95.si() - delays[kPhases * 95 / 100]) <= grain);
  }
}

TEST_CASE("Crux's two jobs: what slows one by 11 % slows the other as much") {
  // Crux (SIGCOMM'24), section 2.2 and figure 7: GPT on 64 GPUs from 1.53 to 1.70 s a step, its
  // throughput −9.9 %, that of BERT −7.7 %. Neither the rate of the links nor the batches are
  // published, so that one of the two is taken: with all traffic exposed both are slower by
  // (c/T)·(c'/T').
  const SharedTraffic bert{Seconds(0.6), Seconds(0.3), Seconds(0.9), ""};
  const double wanted = 1.70 / 1.53 - 1;
  const Seconds c(1.53 * wanted / (0.3 / 0.6));
  const SharedTraffic gpt{Seconds(1.53), c, Seconds(1.53) + c, ""};
  CHECK(steps_beside(gpt, bert).mean.si() == about(1.70).epsilon(1e-12));
  const double of_bert = steps_beside(bert, gpt).mean / bert.step - 1;
  const double measured = 1 / (1 - 0.077) - 1;
  CHECK(std::abs(of_bert - measured) < 0.03);
}

TEST_CASE("a job that sends little slows nobody, and one alone is as fast as before") {
  const Json run = json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 64},
      "training": {"sequence_length": 4096, "global_batch": 256}, "framework": "megatron-core",
      "parallel": {"tp": 8, "recompute": "selective"}})");
  const SharedTraffic own =
      shared_traffic(comm_report_on(resolve_run(run, "run.json", shipped_configs())), 0.5);
  CHECK(own.busy > Seconds());
  CHECK(own.halved > own.step);
  SharedTraffic silent = own;
  silent.busy = Seconds();
  CHECK(steps_beside(own, silent).worst == own.step);
  CHECK(steps_beside(silent, own).worst == own.step);
  const StepsBeside beside = steps_beside(own, own);
  CHECK(beside.mean > own.step);
  CHECK(beside.mean <= beside.at_95);
  CHECK(beside.at_95 <= beside.worst);
  CHECK(beside.worst <= own.halved * (1 + 1e-12));
}

namespace {

// 16 of 32 nodes in pods of 8, whose uplinks carry half of their nodes' rate.
ResolvedRun on_fabric(const std::string& placement, int gpus = 128, double taper = 2) {
  Json run = json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "fabric":
      {"kind": "fat-tree", "pod": 8, "nodes": 32}}, "training": {"sequence_length": 4096,
      "global_batch": 512}, "framework": "megatron-core",
      "parallel": {"tp": 8, "recompute": "selective"}})");
  run["cluster"]["gpus"] = gpus;
  run["training"]["global_batch"] = 4 * gpus;
  run["cluster"]["fabric"]["oversubscription"] = taper;
  if (!placement.empty()) run["parallel"]["placement"] = json_of(placement);
  return resolve_run(run, "run.json", shipped_configs());
}

ResolvedRun placed(const ResolvedRun& own, const std::string& policy) {
  const auto nodes = nodes_beside(own, on_fabric(policy));
  REQUIRE(nodes);
  return on_fabric(Json{{"nodes", *nodes}}.dump());
}

LinkParts parts(const ResolvedRun& own, const ResolvedRun& other) {
  return link_parts(own.run.cluster, other.run.cluster);
}

}  // namespace

TEST_CASE("jobs meet on the uplinks of pods that hold nodes of both") {
  const ResolvedRun packed = on_fabric(R"({"policy": "packed"})");
  // Pods 0 and 1 against 2 and 3.
  const LinkParts apart = parts(packed, placed(packed, R"({"policy": "packed"})"));
  CHECK(apart.pods == 0);
  CHECK(apart.own == 1);
  // Four nodes of each in every pod: alone the uplink, of the rate of four nodes, carries all four.
  const ResolvedRun spread = on_fabric(R"({"policy": "spread"})");
  const LinkParts halves = parts(spread, placed(spread, R"({"policy": "spread"})"));
  CHECK(halves.pods == 4);
  CHECK(halves.own == 0.5);
  CHECK(halves.other == 0.5);
  // Uplinks of the full rate carry both.
  const ResolvedRun full = on_fabric(R"({"policy": "spread"})", 128, 1);
  const LinkParts none = link_parts(full.run.cluster, full.run.cluster);
  CHECK(none.own == 1);
}

TEST_CASE("a node has an equal part of the uplink that most nodes share") {
  // 12 nodes packed: pod 0 full, half of pod 1; the other job has the other half.
  const ResolvedRun own = on_fabric(R"({"policy": "packed"})", 96);
  const ResolvedRun other = placed(own, R"({"policy": "packed"})");
  const LinkParts p = parts(own, other);
  CHECK(p.pods == 1);
  // Own pace is that of pod 0 in any case, where eight nodes share the uplink.
  CHECK(p.own == 1);
  // The other's pods have 4, 8 and 4 nodes: its own full one counts too.
  CHECK(p.other == 1);
}

TEST_CASE("a job that is not beside another's pods waits for nobody") {
  const ResolvedRun own = on_fabric(R"({"policy": "packed"})");
  const ResolvedRun other = placed(own, R"({"policy": "rail-aligned"})");
  const SharedTraffic alone = shared_traffic(comm_report_on(own), parts(own, other).own, true);
  CHECK(alone.halved == alone.step);
  CHECK(steps_beside(alone, alone).worst == alone.step);
}

TEST_CASE("two jobs need one fabric, and free nodes on it") {
  const ResolvedRun own = on_fabric(R"({"policy": "packed"})");
  CHECK_THROWS_WITH_AS(nodes_beside(own, on_fabric(R"({"policy": "packed"})", 192)),
                       doctest::Contains("16 that this run leaves free"), InputError);
  CHECK(!nodes_beside(on_fabric(""), on_fabric("")));
}

TEST_CASE("a checkpoint takes its rate from every link, and the mean step is worked by hand") {
  const Json run = json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 64},
      "training": {"sequence_length": 4096, "global_batch": 256}, "framework": "megatron-core",
      "parallel": {"tp": 8, "recompute": "selective"}})");
  const RunReport r = report_on(resolve_run(run, "run.json", shipped_configs()));
  Storage storage;
  storage.write = BytesPerSecond(80e9);  // 10 GB/s of each of eight nodes, of 400
  const WriteBeside w = step_beside_write(r, storage, Seconds(600));
  // bf16 weights and 12 bytes of Adam: 14 bytes of 8.03 billion parameters on eight nodes.
  CHECK(w.per_node.si() == about(14 * 8030261248.0 / 8).epsilon(1e-9));
  CHECK(w.rate.si() == about(10e9).epsilon(1e-9));
  CHECK(w.write.si() == about(w.per_node.si() / 10e9).epsilon(1e-9));
  CHECK(w.link_part == about(1 - 10e9 / r.resolved.run.cluster.tiers[1].bandwidth.si()));
  CHECK(w.during > w.alone);
  const double d = w.write.si();
  CHECK(w.mean.si() == about(600 / ((600 - d) / w.alone.si() + d / w.during.si())).epsilon(1e-12));
  // Storage faster than half of the links is written at that half.
  storage.write = BytesPerSecond(1e15);
  storage.client = BytesPerSecond(1e14);
  CHECK(step_beside_write(r, storage, Seconds(600)).link_part == about(0.5));
}
