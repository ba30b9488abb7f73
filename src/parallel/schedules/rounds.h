// SPDX-License-Identifier: Apache-2.0
//
// Plays a closed-form schedule (schedule.h) round by round, without memory of its own.
//
// A schedule S has
//   S::rounds(shape)              see Rounds
//   S::kBackwardSlope             0 or 1
//   S::kSeveralChunks             whether a stage may have more than one
//   S::Forward, S::Backward       a cursor over the sequence of steps of one kind: made at a
//                                 position, moved by next() and previous(), it knows `position`,
//                                 `chunk` and `micro_batch` (what these are outside the sequence
//                                 does not matter)
// Cursors only count: nothing is divided in the loops. Errors: none.
#pragma once

#include <cstdint>

#include "parallel/schedules/schedule.h"

namespace orrery {

namespace detail {

// Some of `stages` positions from `at` on are in the sequence of `total` steps.
constexpr bool any_due(std::int64_t at, std::int64_t stages, std::int64_t total) {
  return at < total && at + stages > 0;
}

constexpr bool is_due(std::int64_t position, std::int64_t total) {
  return position >= 0 && position < total;
}

}  // namespace detail

// Every step of all stages, each after all it waits for: visit(stage, Step).
template <class S, class Visit>
void walk_rounds(const PipelineShape& shape, Visit&& visit) {
  const Rounds rounds = S::rounds(shape);
  const std::int64_t total = steps_each_way(shape);
  const std::int64_t last = shape.stages - 1;
  typename S::Forward forward_at_last(shape, rounds.first + rounds.forward_shift - last);
  typename S::Backward backward_at_last(
      shape, rounds.first + rounds.backward_shift + S::kBackwardSlope * last);
  for (std::int64_t round = rounds.first; round < rounds.end; ++round) {
    typename S::Forward forward = forward_at_last;
    typename S::Backward backward = backward_at_last;
    for (std::int64_t stage = last; stage >= 0; --stage) {
      if (detail::is_due(forward.position, total)) {
        visit(stage, Step{StepKind::forward, forward.chunk, forward.micro_batch});
      }
      if (detail::is_due(backward.position, total)) {
        visit(stage, Step{StepKind::backward, backward.chunk, backward.micro_batch});
      }
      forward.next();
      if constexpr (S::kBackwardSlope == 1) backward.previous();
    }
    forward_at_last.next();
    backward_at_last.next();
  }
}

// The same in another order: steps that follow each other do not wait for each other, so that a
// processor has several under way. Calls forward(stage, chunk, micro batch) and backward(…). Where
// a gradient takes a round to the next stage, as a result of forward does, no stage waits for
// another one in the same round: all forward steps of the round, the last stage first, then all
// backward steps, the first stage first.
template <class S, class Forward, class Backward>
requires(S::kBackwardSlope == 1) void walk_waves(const PipelineShape& shape, Forward forward,
                                                 Backward backward) {
  const Rounds rounds = S::rounds(shape);
  const std::int64_t total = steps_each_way(shape);
  const std::int64_t last = shape.stages - 1;
  typename S::Forward at_last(shape, rounds.first + rounds.forward_shift - last);
  typename S::Backward at_first(shape, rounds.first + rounds.backward_shift);
  for (std::int64_t round = rounds.first; round < rounds.end; ++round) {
    if (detail::any_due(at_last.position, shape.stages, total)) {
      typename S::Forward f = at_last;
      for (std::int64_t stage = last; stage >= 0; --stage, f.next()) {
        if (detail::is_due(f.position, total)) forward(stage, f.chunk, f.micro_batch);
      }
    }
    if (detail::any_due(at_first.position, shape.stages, total)) {
      typename S::Backward b = at_first;
      for (std::int64_t stage = 0; stage <= last; ++stage, b.next()) {
        if (detail::is_due(b.position, total)) backward(stage, b.chunk, b.micro_batch);
      }
    }
    at_last.next();
    at_first.next();
  }
}

// Where a gradient passes all stages in one round, the steps that do not wait for each other lie on
// a diagonal: wave w has of stage i the round r with 2r + (p − 1 − i) = w.
template <class S, class Forward, class Backward>
requires(S::kBackwardSlope == 0) void walk_waves(const PipelineShape& shape, Forward forward,
                                                 Backward backward) {
  const Rounds rounds = S::rounds(shape);
  const std::int64_t total = steps_each_way(shape);
  const std::int64_t last = shape.stages - 1;
  for (std::int64_t wave = 2 * rounds.first; wave <= 2 * (rounds.end - 1) + last; ++wave) {
    const std::int64_t lowest = (wave - last) & 1;
    const std::int64_t round = (wave - last + lowest) / 2;  // of the lowest stage
    typename S::Forward f(shape, round + rounds.forward_shift - lowest);
    typename S::Backward b(shape, round + rounds.backward_shift);
    for (std::int64_t stage = lowest; stage <= last; stage += 2, f.previous(), b.next()) {
      if (detail::is_due(f.position, total)) forward(stage, f.chunk, f.micro_batch);
      if (detail::is_due(b.position, total)) backward(stage, b.chunk, b.micro_batch);
    }
  }
}

// The steps of one stage, in its order: visit(Step).
template <class S, class Visit>
void walk_stage_rounds(const PipelineShape& shape, std::int64_t stage, Visit&& visit) {
  const Rounds rounds = S::rounds(shape);
  const std::int64_t total = steps_each_way(shape);
  typename S::Forward forward(shape, rounds.first + rounds.forward_shift - stage);
  typename S::Backward backward(shape,
                                rounds.first + rounds.backward_shift + S::kBackwardSlope * stage);
  for (std::int64_t round = rounds.first; round < rounds.end; ++round) {
    if (detail::is_due(forward.position, total)) {
      visit(Step{StepKind::forward, forward.chunk, forward.micro_batch});
    }
    if (detail::is_due(backward.position, total)) {
      visit(Step{StepKind::backward, backward.chunk, backward.micro_batch});
    }
    forward.next();
    backward.next();
  }
}

}  // namespace orrery
