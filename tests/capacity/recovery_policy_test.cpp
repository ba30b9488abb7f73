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
  FailureClass all;
  all.name = "all";
  all.rate = PerSecond(1 / mean / static_cast<double>(gpus));
  all.nodes = 1;
  i.classes = {all};
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
  i.classes = {{"a", PerSecond(1e-6), 1, FaultSign::error, {}, 0},
               {"b", PerSecond(2e-6), 0, FaultSign::hang, {}, 0},
               {"c", PerSecond(1e-6), 0, FaultSign::silent, {}, 0},
               {"d", PerSecond(9e-6), 1, FaultSign::slow, {}, 0.3}};
  RecoveryPolicy p;
  p.restart = TimeBySize{{1, Seconds(400)}};
  p.restart_in_place = TimeBySize{{1, Seconds(40)}};
  p.detection[FaultSign::error] = Seconds(60);
  p.detection[FaultSign::hang] = Seconds(600);
  p.detection[FaultSign::silent] = Seconds(3600);
  const Recovery r = under(p, i, {8, 1, Seconds(10)}, Seconds(20), 1, failing_job(1e5, 1));
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

// The same job played a thousand times: the closed form is within three standard errors.
TEST_CASE("closed form and played job agree under each policy") {
  const Interruptions i = failing_each(20000, 2048);
  for (const char* name : {"requeue", "lemon-nodes-out", "hot-standby", "memory-copies", "replicas",
                           "elastic-dp", "step-rollback"}) {
    CAPTURE(name);
    const Recovery r = under(shipped(name), left_by(shipped(name), i), {2048, 8, Seconds(10)},
                             Seconds(30), 1, failing_job(20000, 5));
    const Seconds interval = optimal_interval(r, Seconds(60));
    const Seconds training(2e6);
    const Goodput g = goodput(r, interval);
    const SimulatedGoodput s = simulate_goodput({{r, interval, training}}, 1000, 3);
    // Three standard errors of the mean of 1,000 runs, by their 10th and 90th percentile.
    const double n = g.failures * training.si();
    const double deviation = (s.wall.high - s.wall.low).si() / (2 * 1.2816);
    const double error = 3 * deviation / std::sqrt(1000.0);
    CHECK(std::abs(s.wall.value.si() - g.total * training.si()) < error);
    CHECK(s.failures.mean == testing::about(n).epsilon(0.02));
  }
}

// By hand: 70.7 s on 16,384 GPUs, and what NCCL's start takes longer on 98,304: 265 s less the
// 28.4 s that lie between 14.5 s on 8,192 and 55.7 s on 32,768.
TEST_CASE("beyond the measured sizes restarts grow as the start-up does, and the range with them") {
  const RecoveryPolicy p = shipped("hot-standby");
  const Interruptions i = failing_each(1000, 98304);
  const Recovery r = under(p, i, {98304, 1, Seconds(10)}, Seconds(), 1, failing_job(1000, 1));
  CHECK(r.restart.si() == testing::about(70.7 + 265 - 28.42).epsilon(1e-3));
  const Ranged<double> range = beyond_measured(p, 98304);
  CHECK(range.high == testing::about(r.restart.si() / 70.7));
  CHECK(range.low == testing::about(70.7 / r.restart.si()));
  CHECK(beyond_measured(p, 16384).is_exact());
}

// By hand: of four failures in 4,000 s one takes a rack of 16, which no copy survives.
TEST_CASE("failures of several nodes at once are recovered from the storage") {
  Interruptions i;
  i.classes = {{"node", PerSecond(3.0 / 4000 / 64), 1, FaultSign::error, {}, 0},
               {"rack", PerSecond(1.0 / 4000 / 64), 16, FaultSign::error, Seconds(7200), 0}};
  const JobShape job{64, 8, Seconds(10)};
  const RecoveryPolicy p = shipped("memory-copies");
  const Recovery r = under(p, i, job, Seconds(), 1, failing_job(1000, 1));
  CHECK(r.covered.share == testing::about(0.75 * 0.99));
}

// By hand: three failures in four take a node for 8 hours, so that a replica is away for 6 hours on
// average; a spare is needed for the 1 % that are not covered alone.
TEST_CASE("an elastic job leaves a replica out until its node is repaired, without spares") {
  Interruptions i;
  i.repair = Seconds(8 * 3600);
  i.classes = {{"hardware", PerSecond(3e-6), 1, FaultSign::error, {}, 0},
               {"software", PerSecond(1e-6), 0, FaultSign::error, {}, 0}};
  Recovery before = failing_job(1 / (4e-6 * 64), 1);
  before.losses = node_losses(i, 64);
  const Recovery r = under(shipped("elastic-dp"), i, {64, 8, Seconds(10)}, Seconds(), 1, before);
  CHECK(r.covered.away.si() == testing::about(6 * 3600.0));
  CHECK(r.covered.replicas == 8);
  CHECK(r.covered.interval == Seconds(10));
  CHECK(rate_of(r.losses).si() == testing::about(0.01 * 3e-6 * 64));
}

TEST_CASE("a policy that leaves lemon nodes out has fewer failures of nodes") {
  Interruptions i;
  i.classes = {{"hardware", PerSecond(3e-6), 1, FaultSign::error, {}, 0},
               {"software", PerSecond(1e-6), 0, FaultSign::error, {}, 0}};
  const Interruptions left = left_by(shipped("lemon-nodes-out"), i);
  CHECK(rate_per_gpu(left).si() == testing::about(0.27 * 3e-6 + 1e-6));
}

TEST_CASE("a policy of replicas needs two") {
  CHECK(is_policy_of(shipped("replicas"), 2));
  CHECK_FALSE(is_policy_of(shipped("replicas"), 1));
  CHECK(is_policy_of(shipped("requeue"), 1));
}

}  // namespace
}  // namespace orrery
