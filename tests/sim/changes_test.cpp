// SPDX-License-Identifier: Apache-2.0
//
// Overlaps turned off and parts that have failed: what is left, and that neither is a gift.
#include <doctest/doctest.h>

#include <cmath>

#include "parallel/rules.h"
#include "property/for_runs.h"
#include "sim/simulate.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

SimulationOptions quiet() {
  SimulationOptions o;
  o.effects.contention = false;
  return o;
}

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
      CHECK((keeps ? step >= without * (1 - 1e-9) : without >= step * (1 - 1e-9)));
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
    CHECK(left.slow[0].factor == testing::about(cards / (cards - 1)));
  }
  CHECK(slowed > 20 / testing::kShare);
}
