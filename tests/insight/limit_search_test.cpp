// SPDX-License-Identifier: Apache-2.0
// Bisection over integers: exact at the edge, and honest where what is asked is not monotonic.
#include "insight/limit_search.h"

#include <doctest/doctest.h>

namespace orrery {
namespace {

TEST_CASE("the largest value is exact from every start") {
  for (const std::int64_t edge : {1, 2, 7, 64, 999, 1000}) {
    for (const std::int64_t start : {1, 3, 64, 500, 1000, 5000}) {
      CAPTURE(edge);
      CAPTURE(start);
      const IntegerLimit found =
          largest_that(start, 1000, [&](std::int64_t n) { return n <= edge; });
      CHECK(found.value == edge);
      CHECK(found.is_capped == (edge == 1000));
      CHECK(found.holds_again == 0);
    }
  }
}

TEST_CASE("the smallest value is exact from every start") {
  for (const std::int64_t edge : {2, 7, 64, 999, 1000}) {
    for (const std::int64_t start : {1, 3, 64, 500, 1000}) {
      CAPTURE(edge);
      CAPTURE(start);
      const IntegerLimit found =
          smallest_that(start, 1000, [&](std::int64_t n) { return n >= edge; });
      CHECK(found.value == edge);
      CHECK(!found.is_capped);
    }
  }
  CHECK(smallest_that(10, 1000, [](std::int64_t) { return true; }).value == 1);
}

TEST_CASE("where nothing holds there is no value") {
  CHECK(largest_that(10, 1000, [](std::int64_t) { return false; }).value == 0);
  CHECK(smallest_that(10, 1000, [](std::int64_t) { return false; }).value == 0);
}

TEST_CASE("the search goes on from a value beyond a gap") {
  // 100 and three times as much again is probed.
  const auto holds = [](std::int64_t n) { return n <= 100 || (n >= 390 && n <= 410); };
  for (const std::int64_t start : {1, 100, 150, 400}) {
    CAPTURE(start);
    const IntegerLimit found = largest_that(start, 1000, holds);
    CHECK(found.value == 410);
    CHECK(found.holds_again == 0);
    CHECK(found.fails_before > 100);
    CHECK(found.fails_before < 390);
  }
}

TEST_CASE("a value below the limit that does not hold is named") {
  const auto holds = [](std::int64_t n) { return n <= 40 || (n >= 90 && n <= 100); };
  const IntegerLimit found = largest_that(95, 1000, holds);
  CHECK(found.value == 100);
  CHECK(found.fails_before == 50);
}

}  // namespace
}  // namespace orrery
