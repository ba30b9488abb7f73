// SPDX-License-Identifier: Apache-2.0
//
// Generator and learner as a queue of two stages, worked by hand.
#include "rl/queue.h"

#include <doctest/doctest.h>

#include "support/about.h"

using namespace orrery;
using orrery::testing::about;

TEST_CASE("in step, generator and learner take turns") {
  const QueuePeriod q = play_queue({Seconds(6), Seconds(4), Seconds(1)}, 0);
  CHECK(q.period.si() == about(11));
  CHECK(q.learner_waits.si() == about(6));
  CHECK(q.generator_waits.si() == about(5));
}

TEST_CASE("one step ahead, the longer of the two sets the period") {
  // The generator makes a batch in 6 s and pauses 1 s for the weights: 7 s, of which the learner
  // works 4 s and hands over 1 s.
  const QueuePeriod slow = play_queue({Seconds(6), Seconds(4), Seconds(1)}, 1);
  CHECK(slow.period.si() == about(7));
  CHECK(slow.learner_waits.si() == about(2));
  CHECK(slow.first.si() == about(11));
  // A learner of 9 s keeps the generator waiting: 10 s a step.
  const QueuePeriod fast = play_queue({Seconds(6), Seconds(9), Seconds(1)}, 1);
  CHECK(fast.period.si() == about(10));
  CHECK(fast.learner_waits.si() == about(0));
  CHECK(fast.generator_waits.si() == about(3));
}

TEST_CASE("more staleness does not beat the slower of the two") {
  for (const std::int64_t staleness : {1, 2, 8}) {
    CHECK(play_queue({Seconds(6), Seconds(9), Seconds(1)}, staleness).period.si() == about(10));
  }
}
