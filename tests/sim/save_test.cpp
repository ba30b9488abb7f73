// SPDX-License-Identifier: Apache-2.0
//
// A checkpoint in the step: what it costs, by how it is written.
#include "sim/save.h"

#include <doctest/doctest.h>

#include <cmath>

#include "property/for_runs.h"
#include "sim/simulate.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr std::size_t kCheckpointOverlap = 7;

double step_with(const Run& run, const Save& save, OverlapMask without = 0) {
  SimulationOptions options;
  options.effects.contention = false;
  options.save = save;
  options.without = without;
  return simulate(run, options).played.times.step.si();
}

}  // namespace

TEST_CASE("training that stands still is longer by that, beside it a copy costs less") {
  for_runs(61, 150, [](const Run& run, Dice& dice) {
    const double alone = step_with(run, {});
    const Seconds copy(alone * dice.real(0.01, 2));
    const Seconds written = copy * dice.real(1, 3);
    const double stopped = step_with(run, {written, {}, written, 0});
    const double two_phase = step_with(run, {copy, {}, written, 0});
    const double beside = step_with(run, {{}, copy, written, 0});
    CHECK(std::abs(stopped - alone - written.si()) <= 1e-9 * stopped);
    CHECK(beside >= alone * (1 - 1e-12));
    CHECK(beside <= two_phase * (1 + 1e-12));
    CHECK(two_phase <= stopped * (1 + 1e-12));
    const double turned_off = step_with(run, {{}, copy, written, 0}, 1U << kCheckpointOverlap);
    CHECK(std::abs(turned_off - stopped) <= 1e-9 * stopped);
  });
  CHECK(kOverlapTable[kCheckpointOverlap].name == "checkpoint");
}

TEST_CASE("the update waits for what it would write over") {
  for_runs(62, 60, [](const Run& run) {
    const double alone = step_with(run, {});
    SimulationOptions options;
    options.effects.contention = false;
    options.save = {{}, Seconds(3 * alone), Seconds(3 * alone), 0};
    const Simulation s = simulate(run, options);
    CHECK(s.played.times.step.si() >= 3 * alone);
    CHECK(s.chain.front().kind == LinkOfChain::save);
    CHECK(std::abs(s.chain.front().time.si() - 3 * alone) <= 1e-9 * alone);
    double parts = 0;
    for (const Seconds& t : s.answer.breakdown) parts += t.si();
    CHECK(std::abs(parts / s.played.times.step.si() - 1) < 1e-6);
  });
}

TEST_CASE("a kernel loses only while the copy runs") {
  const auto lost = [](double begin) {
    return lost_beside_copy(0.1, Seconds(5), Seconds(begin), Seconds(2)).si();
  };
  CHECK(lost(6) == 0);
  CHECK(lost(4) == testing::about(0.1));
  CHECK(lost(1) == testing::about(0.2));
}
