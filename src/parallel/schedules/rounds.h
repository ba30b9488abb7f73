// SPDX-License-Identifier: Apache-2.0
//
// Plays a schedule told in rounds (schedule.h) step by step, without memory of its own.
//
// A schedule S has
//   S::rounds(shape)              see Rounds
//   S::kBackwardSlope             0 or 1
//   S::Forward, S::Backward       a cursor over the sequence of steps of one kind: made at a
//                                 position, moved by next() and previous(), it knows `position`,
//                                 `chunk` and `micro_batch` (what these are outside the sequence
//                                 does not matter)
// Cursors only count: nothing is divided in the loops.
#pragma once

#include <cstdint>

#include "parallel/schedules/schedule.h"

namespace orrery {

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
      if (forward.position >= 0 && forward.position < total) {
        visit(stage, Step{StepKind::forward, forward.chunk, forward.micro_batch});
      }
      if (backward.position >= 0 && backward.position < total) {
        visit(stage, Step{StepKind::backward, backward.chunk, backward.micro_batch});
      }
      forward.next();
      if constexpr (S::kBackwardSlope == 1) backward.previous();
    }
    forward_at_last.next();
    backward_at_last.next();
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
    if (forward.position >= 0 && forward.position < total) {
      visit(Step{StepKind::forward, forward.chunk, forward.micro_batch});
    }
    if (backward.position >= 0 && backward.position < total) {
      visit(Step{StepKind::backward, backward.chunk, backward.micro_batch});
    }
    forward.next();
    backward.next();
  }
}

}  // namespace orrery
