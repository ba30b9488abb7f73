// SPDX-License-Identifier: Apache-2.0
//
// Conditions of a search on a step of reinforcement learning.
#include "insight/rl_conditions.h"

#include <doctest/doctest.h>

#include "core/error.h"

using namespace orrery;

TEST_CASE("a condition on a step is a comparison of numbers that the step has") {
  CHECK_THROWS_AS(rl_conditions({"step_time_s"}, {}, "f"), InputError);
  CHECK_THROWS_AS(rl_conditions({"mfu > 0.4"}, {}, "f"), InputError);
  CHECK_THROWS_AS(rl_conditions({"cost < 2"}, {}, "f"), InputError);
  const AdmitsRlStep admits =
      rl_conditions({"rl.phases.generate_s <= 5", "rollout.tp == 2"}, {}, "f");
  RlRun rl;
  rl.generator.layout.tp = 2;
  RlStep step;
  step.phases[RlPhase::generate].value = Seconds(5);
  CHECK(admits(rl, {}, step));
  rl.generator.layout.tp = 1;
  CHECK(!admits(rl, {}, step));
  rl.generator.layout.tp = 2;
  step.phases[RlPhase::generate].value = Seconds(5.5);
  CHECK(!admits(rl, {}, step));
}
