// SPDX-License-Identifier: Apache-2.0
//
// Waits of an agent's answers for their tools.
#include "generate/tool_waits.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "generate/batcher.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

// A pass takes a second, reading a prompt nothing.
BatchCosts one_second() {
  return {[](std::int64_t, double) { return Seconds(1); },
          [](std::int64_t, std::int64_t) { return Seconds(); }};
}

const BatchLimits kLimits{16, 1e9, 1};

}  // namespace

TEST_CASE("waits have their mean and their spread") {
  const ToolWaits w{Seconds(10), 0.5, 0, {}};
  const std::vector<ToolWait> all = waits_of(w, 4001);
  double sum = 0;
  double squares = 0;
  for (const ToolWait& x : all) {
    sum += x.each.si();
    squares += x.each.si() * x.each.si();
    CHECK(x.once == Seconds());
  }
  const double mean = sum / 4001;
  CHECK(mean == doctest::Approx(10).epsilon(0.001));
  CHECK(std::sqrt(squares / 4001 - mean * mean) == doctest::Approx(5).epsilon(0.01));
}

TEST_CASE("as many answers hang as the share says") {
  const std::vector<ToolWait> all = waits_of({Seconds(1), 0, 0.1, Seconds(60)}, 200);
  CHECK(std::count_if(all.begin(), all.end(),
                      [](const ToolWait& x) { return x.once == Seconds(60); }) == 20);
  CHECK(waits_of({Seconds(1), 0, 0, Seconds(60)}, 200).size() == 1);
}

// Two answers of 4 tokens in two turns. The first waits 3 s between them and ends at 2 + 3 + 2; the
// second 1 s, and 5 s for a call that hangs: 2 + 6 + 2.
TEST_CASE("each answer waits its own time") {
  const BatchWork work{1, {4, 4}, 1, 2, {{Seconds(3), {}}, {Seconds(1), Seconds(5)}}};
  const PlayedBatch b = play_batch(one_second(), kLimits, work);
  CHECK(b.all.si() == about(10.0));
  // Nobody runs from 2 to 5 and from 7 to 8.
  CHECK(b.idle.si() == about(4.0));
}

TEST_CASE("one wait for all is that of each") {
  const BatchWork one{1, {4, 6, 8}, 1, 2, {{Seconds(3), {}}}};
  BatchWork each = one;
  each.waits = std::vector<ToolWait>(3, ToolWait{Seconds(3), {}});
  CHECK(play_batch(one_second(), kLimits, one).all == play_batch(one_second(), kLimits, each).all);
}
