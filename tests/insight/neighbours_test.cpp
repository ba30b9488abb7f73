// SPDX-License-Identifier: Apache-2.0
#include "insight/neighbours.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

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
      shared_traffic(comm_report_on(resolve_run(run, "run.json", shipped_configs())));
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
