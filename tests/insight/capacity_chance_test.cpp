// SPDX-License-Identifier: Apache-2.0
#include "insight/capacity_chance.h"

#include <doctest/doctest.h>

#include <array>

#include "support/about.h"

namespace orrery {
namespace {

// A lognormal with 80 % inside: a tenth lies above the upper end and a tenth below the lower;
// each side has a spread of its own.
TEST_CASE("the chance of a limit by the range of a value") {
  const Ranged<double> days{50, 40, 80};
  CHECK(chance_within(days, 80) == testing::about(0.9).epsilon(1e-4));
  CHECK(chance_within(days, 40) == testing::about(0.1).epsilon(1e-4));
  CHECK(chance_within(days, 50) == testing::about(0.5));
  // √(80/50) above: half of 1.2816 deviations, 0.7392.
  CHECK(chance_within(days, 63.2456) == testing::about(0.7392).epsilon(1e-3));
  CHECK(chance_within(exactly(50.0), 50) == 1);
  CHECK(chance_within(exactly(50.0), 49) == 0);
  CHECK(chance_within(days, 0) == 0);
}

// 60 days and 11 MW; under caps 64 days and 9.5 MW, 75 days and 8 MW.
TEST_CASE("the highest cap that keeps all limits is named") {
  OptionAnswer o;
  o.outcome.wall = kDay * 60.0;
  o.outcome.energy.peak = Watts(11e6);
  for (const auto& [watts, days, megawatts] :
       {std::array{600.0, 64.0, 9.5}, std::array{500.0, 75.0, 8.0}}) {
    PowerCapped p;
    p.cap = Watts(watts);
    p.outcome.wall = kDay * days;
    p.outcome.energy.peak = Watts(megawatts * 1e6);
    o.capped.push_back(p);
  }
  Requirement q;
  q.deadline = kDay * 70.0;
  q.power = Watts(10e6);
  CHECK(cap_that_meets({q}, o)->cap == Watts(600));
  q.power = Watts(9e6);
  CHECK(cap_that_meets({q}, o) == nullptr);
  q.deadline = kDay * 90.0;
  CHECK(cap_that_meets({q}, o)->cap == Watts(500));
  q.power = Watts(12e6);  // met without a cap
  CHECK(cap_that_meets({q}, o) == nullptr);
  q.power = Watts(9e6);
  q.sure = true;  // a cap has no range
  CHECK(cap_that_meets({q}, o) == nullptr);
}

// The lowest cap within the limit and 5 % of the time that takes less energy.
TEST_CASE("a cap that takes more energy, or draws more than the limit, is not advised") {
  OptionAnswer o;
  o.inputs.cluster.device.power = Watts(700);
  o.outcome.wall = kDay * 100.0;
  o.outcome.energy.facility = Joules(100);
  for (const auto& [watts, days, joules, megawatts] :
       {std::array{630.0, 102.0, 98.0, 9.5}, std::array{560.0, 104.0, 101.0, 9.0},
        std::array{490.0, 110.0, 90.0, 8.0}}) {
    PowerCapped p;
    p.cap = Watts(watts);
    p.outcome.wall = kDay * days;
    p.outcome.energy.facility = Joules(joules);
    p.outcome.energy.peak = Watts(megawatts * 1e6);
    o.capped.push_back(p);
  }
  CHECK(cap_that_saves(Watts(10e6), o)->cap == Watts(630));
  CHECK(cap_that_saves(Watts(9.2e6), o) == nullptr);
  o.capped[1].outcome.energy.facility = Joules(97);
  CHECK(cap_that_saves(Watts(9.2e6), o)->cap == Watts(560));
}

}  // namespace
}  // namespace orrery
