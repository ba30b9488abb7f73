// SPDX-License-Identifier: Apache-2.0
//
// Continuous batching worked by hand: a tail of three lengths, waves of equal answers, a full
// cache, turns of an agent.
#include "generate/batcher.h"

#include <doctest/doctest.h>

#include "generate/rollout.h"
#include "support/about.h"

using namespace orrery;
using orrery::testing::about;

namespace {

// A pass takes 1 s and 0.1 s for each answer, and a millisecond for each token that it reads.
BatchCosts plain_costs(double prefill = 0) {
  return {[](std::int64_t batch, double context) {
            const auto b = static_cast<double>(batch);
            return Seconds(1 + 0.1 * b + 0.001 * b * context);
          },
          [prefill](std::int64_t prompts, std::int64_t tokens) {
            return Seconds(prefill * static_cast<double>(prompts * tokens));
          }};
}

constexpr double kSpace = 1e9;

}  // namespace

TEST_CASE("a tail of three lengths: the batch shrinks as answers end") {
  // 3 answers for 2 passes, 2 for 1, 1 for 2: 2·1.3 + 1.2 + 2·1.1, and the tokens read: contexts 0
  // and 1 of three, 2 of two, 3 and 4 of one.
  const PlayedBatch b = play_batch(plain_costs(), {8, kSpace, 1}, {0, {2, 3, 5}});
  CHECK(b.all.si() == about(2 * 1.3 + 1.2 + 2 * 1.1 + 0.001 * (3 + 4 + 3 + 4)));
  CHECK(b.passes == 5);
  CHECK(b.most == 3);
  CHECK(b.mean_batch == about((3 * 2 + 2 + 2) / 5.0));
}

TEST_CASE("the tail is of the answers of all engines, and never nothing") {
  // 128 answers, a second apart: the last 2 of them after the 126th.
  std::vector<Seconds> ended;
  for (int i = 128; i > 0; --i) ended.emplace_back(i);
  CHECK(time_of_last(0.02, ended).si() == about(128 - 125));
  CHECK(time_of_last(0.1, ended).si() == about(128 - 115));
  // Where there are ten answers, the last one alone.
  ended.resize(10);
  CHECK(time_of_last(0.02, ended).si() == about(1));
  CHECK(time_of_last(0.02, {}) == Seconds());
}

TEST_CASE("equal answers take the closed form, in one wave or in several") {
  for (const std::int64_t running : {1, 3, 4, 12}) {
    const BatchLimits limits{running, kSpace, 1};
    const PlayedBatch b =
        play_batch(plain_costs(0.01), limits, {20, std::vector<std::int64_t>(12, 50)});
    CHECK(b.all.si() == about(equal_waves(plain_costs(0.01), limits, 20, 50, 12).si()));
  }
}

TEST_CASE("equal answers take the closed form where the cache sets the wave") {
  // Four answers of 20 + 50 tokens fill 280; admission looks at what is held, so the batcher is
  // given a cache that holds no fifth prompt.
  const BatchLimits limits{4, 280, 1};
  const PlayedBatch b = play_batch(plain_costs(), limits, {20, std::vector<std::int64_t>(8, 50)});
  CHECK(b.dropped == 0);
  CHECK(b.all.si() == about(equal_waves(plain_costs(), limits, 20, 50, 8).si()));
}

TEST_CASE("a window leaves space that whole layers would fill") {
  // 60 tokens of which half of the layers keep the last 20: 60 − 0.5·40 = 40 of all layers.
  const CacheWindow half{0.5, 20};
  CHECK(kept_tokens(half, 60) == 40);
  const BatchWork work{10, {50, 50}};
  CHECK(play_batch(plain_costs(), {4, 80, 1}, work).dropped == 1);
  CHECK(play_batch(plain_costs(), {4, 80, 1, half}, work).dropped == 0);
  CHECK(play_batch(plain_costs(), {4, 70, 1, half}, work).dropped == 1);
  // A window that nothing outgrows changes nothing.
  const BatchLimits wide{4, 80, 1, {0.5, 1000}};
  CHECK(play_batch(plain_costs(), wide, work).all.si() ==
        about(play_batch(plain_costs(), {4, 80, 1}, work).all.si()));
}

TEST_CASE("a full cache drops the answer that was sent last, which is read anew") {
  const PlayedBatch b = play_batch(plain_costs(0.01), {4, 100, 1}, {20, {50, 50}});
  // Both run until 2·(20 + 30) tokens; the second waits 20 passes, then makes its last 20.
  CHECK(b.dropped == 1);
  CHECK(b.passes == 30 + 20 + 20);
  CHECK(b.prefill.si() == about(0.01 * (2 * 20 + 50)));
}

TEST_CASE("drafts make an answer in fewer passes") {
  const PlayedBatch b = play_batch(plain_costs(), {8, kSpace, 2.5}, {0, {10}});
  CHECK(b.passes == 4);
}

TEST_CASE("tools keep answers waiting between turns") {
  // Two turns of five passes, 1.1 s each and the tokens read, and a tool of 7 s between.
  const PlayedBatch b =
      play_batch(plain_costs(), {8, kSpace, 1}, {0, {10}, 1, 2, {ToolWait{Seconds(7)}}});
  CHECK(b.idle.si() == about(7));
  CHECK(b.all.si() == about(10 * 1.1 + 0.045 + 7));
}

TEST_CASE("a group reads its prompt once") {
  const PlayedBatch b = play_batch(plain_costs(0.01), {8, kSpace, 1}, {20, {1, 1, 1, 1}, 2});
  CHECK(b.prefill.si() == about(0.01 * 2 * 20));
}
