// SPDX-License-Identifier: Apache-2.0
//
// Zero bubble with one chunk a stage (Qi et al. 2023, arXiv:2401.10241, section 2): 1F1B whose
// backward is two steps. Stage i warms up with some forward steps and puts off some weight
// gradients; these fill the time in which 1F1B waits at the end. Which, is ZB-H1 or ZB-H2.
// Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>

#include "orrery/quantity.h"
#include "parallel/schedules/schedule.h"

namespace orrery {

struct ZeroBubbleCounts {
  std::int64_t warm_up = 0;  // forward steps before the first backward
  std::int64_t put_off = 0;  // weight gradients
};

// One backward and one forward in turn, the weight gradient of a micro batch `put_off` later.
Program zero_bubble_program(const PipelineShape& shape, const ZeroBubbleCounts& counts);

// ZB-H1: the memory of 1F1B.
struct ZbH1 : ZeroBubble<ChunkLayout::looped> {
  static Programs programs(const PipelineShape& shape) {
    Programs all;
    for (std::int64_t i = 0; i < shape.stages; ++i) {
      all.push_back(zero_bubble_program(shape, {shape.stages - i, i}));
    }
    return all;
  }

  // Exactly the order's where W ≤ B and m ≥ p.
  static Seconds bubble(const PipelineShape& s, const StepTimes<Seconds>& t) {
    return static_cast<double>(s.stages - 1) * (t.forward + t.input_gradient - t.weight_gradient);
  }
};

// About twice as much in memory, 2p − 1 micro batches on every stage.
struct ZbH2 : ZeroBubble<ChunkLayout::looped> {
  static Programs programs(const PipelineShape& shape) {
    Programs all;
    for (std::int64_t i = 0; i < shape.stages; ++i) {
      all.push_back(zero_bubble_program(shape, {2 * (shape.stages - i) - 1, 2 * i}));
    }
    return all;
  }

  // From the first step of a stage to its last: the optimizer waits for nobody. Exactly the order's
  // where m ≥ 2p − 1 and W ≤ F or B ≤ F.
  static Seconds bubble(const PipelineShape& s, const StepTimes<Seconds>& t) {
    const Seconds left = t.forward + t.input_gradient - 2.0 * t.weight_gradient;
    return static_cast<double>(s.stages - 1) * std::max(Seconds(0), left);
  }
};

}  // namespace orrery
