// SPDX-License-Identifier: Apache-2.0
//
// Overlaps turned off and parts that have failed: what is left, and that neither is a gift.
#include <doctest/doctest.h>

#include <cmath>

#include "parallel/rules.h"
#include "property/for_runs.h"
#include "sim/simulate.h"
#include "sim/slow_links.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

SimulationOptions quiet() {
  SimulationOptions o;
  o.effects.contention = false;
  return o;
}

// The norm that joins compute and gathers may give back a part of what one of them grows by: an
// exchange of cp in the open took 3e-7 off a step, one of tp 2e-5 of sequences of 256 tokens.
constexpr double kJoined = 5e-5;

double total(const Simulation& s) {
  double sum = s.closed.step_time.si();
  for (const Difference& d : s.differences) sum += d.time.si();
  return sum;
}

}  // namespace

TEST_CASE("no overlap turned off makes a step shorter, and what each costs adds up") {
  std::array<int, kOverlaps> costly{};
  const auto saving = [] {
    SimulationOptions o = quiet();
    o.save = {{}, Seconds(0.1), Seconds(0.2), 0};
    return o;
  };
  for_runs(51, 150, [&](const Run& run) {
    const double step = simulate(run, saving()).played.times.step.si();
    SimulationOptions all = saving();
    for (std::size_t i = 0; i < kOverlaps; ++i) {
      CAPTURE(kOverlapTable[i].name);
      SimulationOptions one = saving();
      one.without = static_cast<OverlapMask>(1U << i);
      const bool keeps = kOverlapTable[i].name == "reshard";  // fewer gathers, for more memory
      if (!keeps) all.without = static_cast<OverlapMask>(all.without | one.without);
      const double without = simulate(run, one).played.times.step.si();
      CAPTURE(without / step - 1);
      CHECK((keeps ? step >= without * (1 - kJoined) : without >= step * (1 - kJoined)));
      costly[i] += std::abs(without / step - 1) > 1e-6 ? 1 : 0;
    }
    const Simulation none = simulate(run, all);
    CHECK(none.played.times.step.si() >= step * (1 - 1e-9));
    CHECK(total(none) == testing::about(none.played.times.step.si()).epsilon(1e-8));
  });
  for (std::size_t i = 0; i < kOverlaps; ++i) {
    CAPTURE(kOverlapTable[i].name);
    // Too rare here: tests/cli/simulate.t.
    if (kOverlapTable[i].name == "pairs" || kOverlapTable[i].name == "ep") continue;
    CHECK(costly[i] > 0);  // else nothing here says that the switch does anything
  }
}

TEST_CASE("what is left after a failure is legal, smaller by the replicas that held it") {
  int went_on = 0;
  for_runs(52, 300, [&](const Run& run, Dice& dice) {
    const Failure f{SlowPart::gpu, dice.integer(0, run.cluster.gpus - 1)};
    const Survivors left = survivors(run, {f});
    if (run.strategy.dp == 1) CHECK_FALSE(left.why_none.empty());
    if (!left.why_none.empty()) return;
    ++went_on;
    const Strategy& s = left.run.strategy;
    CHECK(s.dp < run.strategy.dp);
    CHECK(first_broken(s, run.model, shape_of(left.run)) == RuleId::none);
    CHECK(left.run.cluster.gpus == world_size(s));
    CHECK(s.micro_batches * s.dp * s.micro_batch >= run.training.global_batch);
    SimulationOptions options = quiet();
    options.failures = {f};
    const Simulation after = simulate(run, options);
    CHECK(total(after) == testing::about(after.played.times.step.si()).epsilon(1e-8));
    CHECK(after.run.strategy.dp == s.dp);
  });
  CHECK(went_on > 100 / testing::kShare);
}

TEST_CASE("utilisation after a failure counts the FLOPs of the batch that the others train") {
  const Run run = testing::run_of(json_of(R"({"model": "llama-3-8b", "framework": "fsdp",
      "cluster": {"node": "dgx-h100", "gpus": 64},
      "training": {"sequence_length": 2048, "global_batch": 64}})"));
  SimulationOptions options = quiet();
  options.failures = {{SlowPart::gpu, 0}};
  const Simulation after = simulate(run, options);
  // 63 GPUs take two sequences each.
  REQUIRE(after.run.training.global_batch == 126);
  CHECK(after.run.model_flops.si() == testing::about(run.model_flops.si() / 64 * 126));
  CHECK(after.answer.model_flops.si() == testing::about(2 * run.model_flops.si() / 64));
  CHECK(after.answer.hardware_flops.si() == testing::about(after.answer.model_flops.si()));
}

TEST_CASE("a slow node or link holds up the stage whose ranks a placement puts there") {
  const Json base = json_of(R"({"model": "llama-3-8b", "framework": "megatron-core",
      "cluster": {"node": "dgx-h100", "gpus": 64},
      "training": {"sequence_length": 8192, "global_batch": 256}, "parallel": {"tp": 2, "pp": 4}})");
  const Run in_order = testing::run_of(base);
  // Node 0 holds the last stage, as node 7 does without a placement.
  const Run turned = testing::run_of(
      with(base, R"({"parallel": {"placement": {"nodes": "7, 6, 5, 4, 3, 2, 1, 0"}}})"));
  const auto step = [](const Run& run, SlowPart part, std::int64_t which) {
    SimulationOptions slow = quiet();
    slow.disturbances.slow = {{part, which, 3}};
    return simulate(run, slow).played.times.step.si();
  };
  for (const SlowPart part : {SlowPart::node, SlowPart::link}) {
    for (const std::int64_t node : {0, 3, 7}) {
      CHECK(step(turned, part, node) == testing::about(step(in_order, part, 7 - node)));
    }
    CHECK(step(turned, part, 0) != testing::about(step(turned, part, 7)));
  }
  CHECK(step(turned, SlowPart::gpu, 63) == testing::about(step(in_order, SlowPart::gpu, 63)));
}

TEST_CASE("GPUs that are half as fast take twice as long to recompute, too") {
  const Run run = testing::run_of(json_of(R"({"model": "llama-3-8b", "framework": "megatron-core",
      "cluster": {"node": "dgx-h100", "gpus": 8},
      "training": {"sequence_length": 8192, "global_batch": 64},
      "parallel": {"tp": 2, "pp": 2, "recompute": "full"}})"));
  SimulationOptions slow = quiet();
  for (std::int64_t n = 0; n < 8; ++n) slow.disturbances.slow.push_back({SlowPart::gpu, n, 2});
  const Terms<double> before = simulate(run, quiet()).answer.breakdown;
  const Terms<double> after = simulate(run, slow).answer.breakdown;
  for (const Term t : {Term::compute, Term::recompute}) {
    CHECK(after[t].si() == testing::about(2 * before[t].si()));
  }
}

TEST_CASE("a failed node takes the replicas that a placement puts there, the others keep theirs") {
  const Json base = json_of(R"({"model": "llama-3-8b", "framework": "megatron-core",
      "cluster": {"node": "dgx-h100", "gpus": 32},
      "training": {"sequence_length": 2048, "global_batch": 32}, "parallel": {"tp": 8}})");
  const Run turned =
      testing::run_of(with(base, R"({"parallel": {"placement": {"nodes": "3, 2, 1, 0"}}})"));
  const Survivors left = survivors(turned, {{SlowPart::node, 3}});
  REQUIRE(left.run.strategy.dp == 3);
  CHECK(node_of(left.run.cluster, 0) == 2);  // replica 1 is the first now
  CHECK(node_of(left.run.cluster, 23) == 0);
  // Round robin over nodes: every node holds a part of every replica.
  const Run scattered = testing::run_of(with(base, R"({"parallel": {"placement":
      [0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27,
       4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31]}})"));
  CHECK_FALSE(survivors(scattered, {{SlowPart::node, 0}}).why_none.empty());
  const Survivors three = survivors(scattered, {{SlowPart::gpu, 8}});
  REQUIRE(three.why_none.empty());
  CHECK(three.run.cluster.device_of_rank->size() == 24);
  CHECK(device_of(three.run.cluster, 8) == 4);  // replica 1, which was on 2, 10, … is gone
  CHECK(simulate(three.run, quiet()).played.times.step > Seconds());
}

TEST_CASE("a failed card leaves its traffic to the others of the node") {
  Shelf shelf;
  RunMaker maker(shelf, 53);
  int slowed = 0;
  for (int i = 0; i < 300; ++i) {
    const Run run = maker.legal();
    const Survivors left = survivors(run, {{SlowPart::link, 0}});
    CHECK(left.run.strategy.dp == run.strategy.dp);
    const std::size_t node = tier_of(run.cluster, run.cluster.devices_per_node);
    if (node + 1 >= run.cluster.tier_count) continue;
    const double cards = 1 / run.cluster.tiers[node + 1].rank_share;
    if (cards < 1.5) {
      CHECK_FALSE(left.why_none.empty());
      continue;
    }
    ++slowed;
    REQUIRE(left.slow.size() == 1);
    CHECK(left.slow[0].cards_failed == 1);
  }
  CHECK(slowed > 20 / testing::kShare);
}

TEST_CASE("eight groups of one rank a node take twice as long over seven cards") {
  const Run run = testing::run_of(json_of(R"({"model": "llama-3-8b", "framework": "megatron-core",
      "cluster": {"node": "dgx-h100", "gpus": 64},
      "training": {"sequence_length": 2048, "global_batch": 64},
      "parallel": {"tp": 8, "overlap": {"grad_reduce": false, "param_gather": false}}})"));
  SimulationOptions failed = quiet();
  failed.failures = {{SlowPart::link, 0}};
  const Simulation whole = simulate(run, quiet());
  const double reductions = whole.answer.breakdown[Term::dp_exposed].si();
  const double more = simulate(run, failed).played.times.step.si() - whole.played.times.step.si();
  CHECK(more > 0.99 * reductions);  // latency and launch stay as they are
  CHECK(more < reductions);
  // One group of all ranks goes over the seven cards evenly.
  const Run one = testing::run_of(json_of(R"({"model": "llama-3-8b", "framework": "megatron-core",
      "cluster": {"node": "dgx-h100", "gpus": 64},
      "training": {"sequence_length": 2048, "global_batch": 64},
      "parallel": {"tp": 1, "overlap": {"grad_reduce": false, "param_gather": false}}})"));
  const Simulation of_one = simulate(one, quiet());
  const double seventh =
      simulate(one, failed).played.times.step.si() - of_one.played.times.step.si();
  CHECK(seventh < of_one.answer.breakdown[Term::dp_exposed].si() / 7);
  CHECK(seventh > of_one.answer.breakdown[Term::dp_exposed].si() / 7 * 0.9);
}

// All links of a stage's nodes slow by a factor are links of a slow fabric: what is in the open,
// what hides beside passes, sharded weights and tokens of experts alike.
TEST_CASE("links that are slow take their traffic as long as a fabric that is as slow") {
  int slowed = 0;
  for_runs(54, 150, [&](const Run& run, Dice& dice) {
    const double factor = dice.real(1.5, 8);
    SimulationOptions slow = quiet();
    const std::int64_t nodes = (run.cluster.gpus - 1) / run.cluster.devices_per_node + 1;
    for (std::int64_t n = 0; n < nodes; ++n) {
      slow.disturbances.slow.push_back({SlowPart::link, n, factor});
    }
    const Simulation on_slow_links = simulate(run, slow);
    const double step = on_slow_links.played.times.step.si();
    const Simulation of_fabric = simulate(with_slow_links(run, {factor}), quiet());
    CHECK(step == testing::about(of_fabric.played.times.step.si()));
    CHECK(total(on_slow_links) == testing::about(step).epsilon(1e-8));
    slowed += step > simulate(run, quiet()).played.times.step.si() * 1.01 ? 1 : 0;
    // One of them alone costs no more than all, and no less than none.
    slow.disturbances.slow.resize(1);
    const double one = simulate(run, slow).played.times.step.si();
    CHECK(one <= step * (1 + 1e-9));
    CHECK(one >= simulate(run, quiet()).played.times.step.si() * (1 - 1e-9));
  });
  CHECK(slowed > 20 / testing::kShare);
}

TEST_CASE("a slow link holds up all that gather weights over it") {
  const Run run = testing::run_of(json_of(R"({"model": "llama-3-8b", "framework": "fsdp",
      "cluster": {"node": "dgx-h100", "gpus": 32},
      "training": {"sequence_length": 8192, "global_batch": 64}, "parallel": {"zero": 3}})"));
  SimulationOptions slow = quiet();
  slow.disturbances.slow = {{SlowPart::link, 0, 20}};
  const double step = simulate(run, quiet()).played.times.step.si();
  CHECK(simulate(run, slow).played.times.step.si() > 3 * step);
}
