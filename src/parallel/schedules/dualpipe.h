// SPDX-License-Identifier: Apache-2.0
//
// DualPipe (DeepSeek-V3, arXiv:2412.19437, section 3.2.1) and DualPipeV, in the eight phases of
// github.com/deepseek-ai/DualPipe (dualpipe.py and dualpipev.py, `step`): pairs of one forward and
// one backward of the other direction, each beside the other's communication.
//
// DualPipe: p even stages hold two copies of the model, half of the micro batches enter at each
// end; m even, at least 2p. DualPipeV is DualPipe folded in the middle: p stages hold two chunks in
// a V; m at least 2p. Both keep one chunk's activations of p + 1 micro batches (of 2p + 1, folded).
//
// The published bubble, (p/2 − 1)(O + B − 2W) for DualPipe, is exactly what the stage in the middle
// waits where F = B ≥ W; where F and B differ, the order waits (p/2 − 1)(O + F − 2W). Errors: none.
#pragma once

#include "orrery/quantity.h"
#include "parallel/schedules/schedule.h"

namespace orrery {

struct DualPipe {
  static constexpr ChunkLayout kLayout = ChunkLayout::two_way;
  static constexpr bool kPairs = true;
  static constexpr bool kZeroBubble = false;

  static Programs programs(const PipelineShape& shape);

  static Seconds bubble(const PipelineShape& s, const StepTimes<Seconds>& t) {
    return (static_cast<double>(s.stages) / 2.0 - 1.0) *
           (t.pair + t.input_gradient - 2.0 * t.weight_gradient);
  }
};

struct DualPipeV {
  static constexpr ChunkLayout kLayout = ChunkLayout::v_shaped;
  static constexpr bool kPairs = true;
  static constexpr bool kZeroBubble = false;

  static Programs programs(const PipelineShape& shape);

  static Seconds bubble(const PipelineShape& s, const StepTimes<Seconds>& t) {
    return static_cast<double>(s.stages - 1) *
           (t.pair + t.input_gradient - 2.0 * t.weight_gradient);
  }
};

}  // namespace orrery
