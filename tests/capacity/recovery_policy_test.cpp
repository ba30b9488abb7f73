// SPDX-License-Identifier: Apache-2.0
#include "capacity/recovery_policy.h"

#include <doctest/doctest.h>

#include <cmath>

#include "capacity/site_json.h"
#include "core/json.h"
#include "support/about.h"
#include "support/runs.h"

namespace orrery {
namespace {

RecoveryPolicy shipped(const std::string& name) {
  const std::string file = std::string(ORRERY_CONFIG_DIR "/recovery/") + name + ".json";
  const Json json = parse_json(*testing::text_of_file(file), file);
  return read_recovery(Reader(json, file));
}

// Failures of a node each `mean` seconds of the whole job, found and mended within the policy.
Interruptions failing_each(double mean, std::int64_t gpus) {
  Interruptions i;
  i.classes = {{"all", PerSecond(1 / mean / static_cast<double>(gpus)), true, FaultSign::error}};
  return i;
}

Recovery failing_job(double mean, double stall) {
  Recovery r;
  r.failures = PerSecond(1 / mean);
  r.stall = Seconds(stall);
  return r;
}

// ln 1,448 is half way from ln 1,024 to ln 2,048, and √(100·400) = 200.
TEST_CASE("times between two sizes are a power of the size, and go on beyond the last") {
  const TimeBySize t = {{1024, Seconds(100)}, {2048, Seconds(400)}, {4096, Seconds(400)}};
  CHECK(time_at(t, 1024).si() == testing::about(100.0));
  CHECK(time_at(t, 1448).si() == testing::about(200.0).epsilon(1e-3));
  CHECK(time_at(t, 512).si() == testing::about(25.0));
  CHECK(time_at(t, 16384).si() == testing::about(400.0));
  CHECK(time_at({{1, Seconds(7)}}, 99) == Seconds(7));
}

// By hand: rates 1, 2 and 1 in four, of which the first takes a node; found after 60, 600 and
// 3600 s: 1,215 s. Restarts of 400 s elsewhere and 40 s in place: 130 s.
TEST_CASE("a failure is found as its class shows, and restarts where its class lets it") {
  Interruptions i;
  i.classes = {{"a", PerSecond(1e-6), true, FaultSign::error},
               {"b", PerSecond(2e-6), false, FaultSign::hang},
               {"c", PerSecond(1e-6), false, FaultSign::silent}};
  RecoveryPolicy p;
  p.restart = TimeBySize{{1, Seconds(400)}};
  p.restart_in_place = TimeBySize{{1, Seconds(40)}};
  p.detection[FaultSign::error] = Seconds(60);
  p.detection[FaultSign::hang] = Seconds(600);
  p.detection[FaultSign::silent] = Seconds(3600);
  const Recovery r = under(p, i, {8, 1, Seconds(10)}, Seconds(20), failing_job(1e5, 1));
  CHECK(r.detection.si() == testing::about(0.25 * 60 + 0.5 * 600 + 0.25 * 3600));
  CHECK(r.restart.si() == testing::about(0.25 * 400 + 0.75 * 40 + 20));
  CHECK(r.covered.share == 0);
}

// Few failures: the first order of each cost, by hand. 1 % of the failures lose half of the
// storage's interval of 1,000 s and restart in 100 s; 99 % half a step of 10 s and restart in 50 s.
TEST_CASE("copies in memory leave half a step to lose") {
  Recovery r = failing_job(1e7, 2);
  r.restart = Seconds(100);
  r.covered = {0.99, Seconds(50), Seconds(10), Seconds(0.1), Seconds(), 1};
  const Goodput g = goodput(r, Seconds(1000));
  CHECK(g.checkpoint == testing::about(0.002 + 0.01));
  CHECK(g.restart * 1e7 == testing::about(1.012 * (0.99 * 50 + 0.01 * 100)).epsilon(1e-3));
  CHECK(g.lost_work * 1e7 == testing::about(1.012 * 1.012 * (0.99 * 5 + 0.01 * 500)).epsilon(2e-3));
}

// arXiv:2602.00277: on 98,000 GPUs a failure each 18 minutes and 10 minutes of recovery leave 44 %;
// where one of 12 replicas recovers and the others wait 3 minutes, 80 %.
TEST_CASE("the unit of recovery decides at 98,000 GPUs") {
  Recovery whole = failing_job(18 * 60, 0);
  whole.detection = Seconds(10 * 60);
  CHECK(1 / goodput(whole, Seconds(1)).total == testing::about(0.44).epsilon(0.02));
  Recovery parts = failing_job(18 * 60, 0);
  parts.detection = Seconds(3 * 60);
  parts.covered = {0.9999, Seconds(), Seconds(), Seconds(), Seconds(10 * 60), 12};
  const double effective = 1 / goodput(parts, Seconds(60)).total;
  CHECK(effective > 0.74);
  CHECK(effective < 0.86);
}

// Meta (arXiv:2410.21680): E[ETTR] = (1 − N·r·(u₀ + Δ/2))/(1 + w/Δ), at r = 6.5 in 1,000
// node-days, 1,500 nodes, u₀ of 5 to 20 minutes, a write w of 1 minute.
TEST_CASE("Meta's expected training time ratio") {
  const double mean = 86400 / (6.5e-3 * 1500);
  for (const double start : {300.0, 600.0, 1200.0}) {
    Recovery r = failing_job(mean, 60);
    r.restart = Seconds(start);
    const double interval = std::sqrt(2 * 60 * mean);
    const double theirs = (1 - (start + interval / 2) / mean) / (1 + 60 / interval);
    CHECK(1 / goodput(r, Seconds(interval)).total == testing::about(theirs).epsilon(0.05));
  }
}

// The same job played a thousand times: the closed form is within three standard errors.
TEST_CASE("closed form and played job agree under each policy") {
  const Interruptions i = failing_each(20000, 2048);
  for (const char* name : {"requeue", "hot-standby", "memory-copies", "replicas"}) {
    CAPTURE(name);
    const Recovery r =
        under(shipped(name), i, {2048, 8, Seconds(10)}, Seconds(30), failing_job(20000, 5));
    const Seconds interval = optimal_interval(r, Seconds(60));
    const Seconds training(2e6);
    const Goodput g = goodput(r, interval);
    const SimulatedGoodput s = simulate_goodput({{r, interval, training}}, 1000, 3);
    // A failure costs c on average: the standard error of n failures in 1,000 runs.
    const double n = g.failures * training.si();
    const double each = (g.total - 1) * training.si() / n;
    const double error = 3 * each * std::sqrt(2 * n / 1000);
    CHECK(std::abs(s.wall.value.si() - g.total * training.si()) < error);
    CHECK(s.failures.mean == testing::about(n).epsilon(0.02));
  }
}

TEST_CASE("a policy of replicas needs two") {
  CHECK(is_policy_of(shipped("replicas"), 2));
  CHECK_FALSE(is_policy_of(shipped("replicas"), 1));
  CHECK(is_policy_of(shipped("requeue"), 1));
}

}  // namespace
}  // namespace orrery
