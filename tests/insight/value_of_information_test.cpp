// SPDX-License-Identifier: Apache-2.0
//
// The value of knowing a step before buying, by hand.
#include "insight/value_of_information.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace orrery;

// Median 1, σ 0.3 against exactly 1: E[X] = e^0.045 = 1.046028, d = (0.045 + 0.045)/0.3 = 0.3,
// Φ(0.3) = 0.617911: 1.046028·0.617911 − 1·Φ(0) = 0.646352 − 0.5.
TEST_CASE("the expected loss of a choice whose cost is uncertain") {
  CHECK(expected_excess({1, 0.3}, {1, 0}, 0.3) == doctest::Approx(0.146352).epsilon(1e-5));
}

// Medians 10 and 12, σ 0.2 and 0.4 (s² = 0.2): E[X] = 10·e^0.02 = 10.202013, E[Y] = 12·e^0.08 =
// 12.999445; ln(E[X]/E[Y]) = −0.242322, s = 0.447214; d = −0.541847 + 0.223607 = −0.318240, Φ(d) =
// 0.375151; d − s = −0.765454, Φ = 0.222001: 3.827297 − 2.885884.
TEST_CASE("the expected loss where both are uncertain") {
  CHECK(expected_excess({10, 0.2}, {12, 0.4}, std::sqrt(0.2)) ==
        doctest::Approx(0.941413).epsilon(1e-5));
}

TEST_CASE("nothing is lost where nothing is uncertain, and knowing less is worth less") {
  CHECK(expected_excess({10, 0}, {12, 0}, 0) == 0);
  CHECK(expected_excess({12, 0}, {10, 0}, 0) == doctest::Approx(2));
  const UncertainCost x{10, 0.2};
  const UncertainCost y{12, 0.4};
  const double all = expected_excess(x, y, std::hypot(0.2, 0.4));
  CHECK(expected_excess(x, y, 0.4) < all);
  CHECK(expected_excess(x, y, 0.2) < expected_excess(x, y, 0.4));
}
