// SPDX-License-Identifier: Apache-2.0
#include "core/divide.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

using namespace orrery;

TEST_CASE("counts divide without a rest left behind") {
  for (std::int64_t a = 0; a < 40; ++a) {
    for (std::int64_t b = 1; b < 12; ++b) {
      const std::int64_t pages = divided_up(a, b);
      CHECK(pages * b >= a);
      CHECK((pages - 1) * b < a);
      CHECK(rounded_up(a, b) == pages * b);
    }
  }
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  CHECK(divided_up(kMost, std::int64_t{2}) == kMost / 2 + 1);
}
