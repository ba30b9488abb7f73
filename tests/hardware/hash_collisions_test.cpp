// SPDX-License-Identifier: Apache-2.0
#include "hardware/hash_collisions.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "support/about.h"

using namespace orrery;
using orrery::testing::about;

TEST_CASE("the fullest link of a few flows, by hand") {
  // 27 ways of three flows on three links: 6 apart, 18 with two together, 3 with all.
  CHECK(fullest_link(3, 3).mean == about((6 * 1 + 18 * 2 + 3 * 3) / 27.0).epsilon(1e-12));
  CHECK(fullest_link(2, 8).mean == about(1 + 1.0 / 8).epsilon(1e-12));
  CHECK(fullest_link(5, 1).mean == about(5).epsilon(1e-12));
  CHECK(fullest_link(1, 9).mean == about(1).epsilon(1e-12));
  // 3 of 27 ways hold three, more than one in twenty.
  CHECK(fullest_link(3, 3).at_95 == 3);
  CHECK(fullest_link(2, 64).at_95 == 1);
}

TEST_CASE("the fullest of eight links agrees with flows that are thrown") {
  std::mt19937_64 random(7);
  for (const std::int64_t flows : {8, 16, 64, 512, 2048}) {
    CAPTURE(flows);
    constexpr std::int64_t kLinks = 8;
    constexpr int kThrows = 10000;
    double sum = 0;
    std::vector<std::int64_t> on(kLinks);
    for (int t = 0; t < kThrows; ++t) {
      std::fill(on.begin(), on.end(), 0);
      for (std::int64_t f = 0; f < flows; ++f) ++on[random() % kLinks];
      sum += static_cast<double>(*std::max_element(on.begin(), on.end()));
    }
    CHECK(fullest_link(flows, kLinks).mean == about(sum / kThrows).epsilon(0.01));
  }
}

TEST_CASE("more flows fill the links more evenly, and both forms meet") {
  double before = 0;
  for (std::int64_t flows = 8; flows <= 4096; flows *= 2) {
    const double rate = static_cast<double>(flows) / 8 / fullest_link(flows, 8).mean;
    CHECK(rate > before);
    CHECK(rate < 1);
    before = rate;
  }
  CHECK(fullest_link(513, 8).mean == about(fullest_link(512, 8).mean + 0.125).epsilon(0.001));
  CHECK(fullest_link(513, 64).mean == about(fullest_link(512, 64).mean).epsilon(0.003));
}
