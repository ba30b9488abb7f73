// SPDX-License-Identifier: Apache-2.0
#include "capacity/spare_nodes.h"

#include <doctest/doctest.h>

#include "support/about.h"

namespace orrery {
namespace {

// So many losses in an hour, each of `nodes` that are back after `hours`.
NodeLoss losing(double an_hour, std::int64_t nodes, double hours) {
  return {PerSecond(an_hour / 3600), nodes, Seconds(hours * 3600)};
}

// A. K. Erlang's tables: 5 lines under 3 erlang lose 11.0 %; one line under 1 erlang loses half.
TEST_CASE("losses of one node follow Erlang's loss formula") {
  CHECK(waiting_share({losing(1, 1, 3)}, 4) == testing::about(0.1101).epsilon(1e-3));
  CHECK(waiting_share({losing(1, 1, 1)}, 0) == testing::about(0.5));
}

TEST_CASE("kinds of losses of one node add up to one kind of their mean repair") {
  const double apart = waiting_share({losing(1, 1, 2), losing(0.5, 1, 4)}, 4);
  CHECK(apart == testing::about(waiting_share({losing(1, 1, 4)}, 4)).epsilon(1e-12));
}

// By hand: a = 0.1 pairs away on average, one spare. Weights: q(0) 1, q(1) 0, and of the states
// that wait q(2) = 0.2·q(0)/2 = 0.1, q(3) = 0.2·q(1)/3 = 0: 0.1 of 1.1.
TEST_CASE("two nodes at once need two spares") {
  CHECK(waiting_share({losing(0.1, 2, 1)}, 1) == testing::about(0.1 / 1.1));
  CHECK(waiting_share({losing(0.1, 2, 1)}, 0) == testing::about(0.1 / 1.1));
  // q(0) 1, q(2) 0.1, q(4) = 0.2·0.1/4 = 0.005.
  CHECK(waiting_share({losing(0.1, 2, 1)}, 2) == testing::about(0.005 / 1.105));
}

TEST_CASE("a rack that leaves whole takes as many spares as it has nodes") {
  const NodeLoss rack = losing(0.002, 16, 2);
  CHECK(spares_for({rack}, 1e-3, 1000) == 16);
  CHECK(spares_for({losing(0.032, 1, 2)}, 1e-3, 1000) < 4);
  CHECK(spares_for({rack, losing(0.2, 1, 2)}, 1e-3, 1000) > 16);
}

TEST_CASE("a spare more never makes a run wait longer, and enough are found") {
  const std::vector<NodeLoss> day = {losing(1, 1, 24)};
  double before = 1;
  for (std::int64_t spares = 0; spares < 60; ++spares) {
    const double now = waiting_share(day, spares);
    CHECK(now < before);
    before = now;
  }
  const std::int64_t enough = spares_for(day, 1e-3, 1000);
  CHECK(waiting_share(day, enough) < 1e-3);
  CHECK(waiting_share(day, enough - 1) >= 1e-3);
}

// More weights than a double holds: about as many spares as nodes away on average.
TEST_CASE("thousands of nodes away are counted too") {
  const std::int64_t spares = spares_for({losing(1000, 1, 10)}, 1e-3, 100'000);
  CHECK(spares > 10'000);
  CHECK(spares < 10'500);
}

TEST_CASE("nothing waits where nothing leaves") {
  CHECK(waiting_share({}, 0) == 0);
  CHECK(spares_for({}, 1e-3, 10) == 0);
}

}  // namespace
}  // namespace orrery
