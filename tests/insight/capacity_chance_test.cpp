// SPDX-License-Identifier: Apache-2.0
#include "insight/capacity_chance.h"

#include <doctest/doctest.h>

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

}  // namespace
}  // namespace orrery
