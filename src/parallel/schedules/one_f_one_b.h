// SPDX-License-Identifier: Apache-2.0
//
// 1F1B (PipeDream-Flush: Narayanan et al. 2021, arXiv:2006.09503), as Megatron-LM without virtual
// stages and DeepSpeed's TrainSchedule run it: stage i does min(m, p − 1 − i) forward steps, then
// one forward and one backward in turn, then what is left of backward. One chunk a stage.
// Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "orrery/quantity.h"
#include "parallel/schedules/schedule.h"

namespace orrery {

// Micro batches in order, one chunk: the cursor of every schedule that does not interleave.
struct InOrder {
  std::int64_t position;
  std::int64_t micro_batch;
  static constexpr std::int64_t chunk = 0;

  InOrder(const PipelineShape& /*shape*/, std::int64_t at) : position(at), micro_batch(at) {}
  void next() { micro_batch = ++position; }
  void previous() { micro_batch = --position; }
};

struct OneFOneB {
  using Forward = InOrder;
  using Backward = InOrder;
  static constexpr std::int64_t kBackwardSlope = 0;
  static constexpr bool kSeveralChunks = false;

  // Round k: backward k on every stage, and the forward step that 1F1B pairs it with.
  static constexpr Rounds rounds(const PipelineShape& s) {
    return {1 - s.stages, s.micro_batches, s.stages - 1, 0};
  }

  static std::int64_t in_flight(const PipelineShape& s, std::int64_t stage) {
    return std::min(s.micro_batches, s.stages - stage);
  }

  static void fullest(const PipelineShape& s, std::int64_t stage,
                      std::span<const double> /*weight*/, std::span<std::int64_t> held) {
    held[0] = in_flight(s, stage);
  }

  static Seconds bubble(const PipelineShape& s, const StepTimes<Seconds>& t) {
    return static_cast<double>(s.stages - 1) * (t.forward + t.input_gradient + t.weight_gradient);
  }
};

}  // namespace orrery
