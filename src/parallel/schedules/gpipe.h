// SPDX-License-Identifier: Apache-2.0
//
// GPipe (Huang et al. 2019, arXiv:1811.06965, figure 2c): all forward steps, then all backward
// steps, last micro batch first. One chunk a stage; all m micro batches are in flight.
// Errors: none.
#pragma once

#include <cstdint>
#include <span>

#include "orrery/quantity.h"
#include "parallel/schedules/one_f_one_b.h"
#include "parallel/schedules/schedule.h"

namespace orrery {

struct GPipe {
  struct LastFirst {
    std::int64_t position;
    std::int64_t micro_batch;
    static constexpr std::int64_t chunk = 0;

    LastFirst(const PipelineShape& s, std::int64_t at)
        : position(at), micro_batch(s.micro_batches - 1 - at) {}
    void next() {
      ++position;
      --micro_batch;
    }
    void previous() {
      --position;
      ++micro_batch;
    }
  };

  using Forward = InOrder;
  using Backward = LastFirst;
  static constexpr std::int64_t kBackwardSlope = 1;
  static constexpr bool kSeveralChunks = false;

  // Forward goes down the stages one a round; when the last one is through, backward goes up.
  static constexpr Rounds rounds(const PipelineShape& s) {
    const std::int64_t one_way = s.micro_batches + s.stages - 1;
    return {0, 2 * one_way, 0, -one_way - (s.stages - 1)};
  }

  static std::int64_t in_flight(const PipelineShape& s, std::int64_t /*stage*/) {
    return s.micro_batches;
  }

  static void fullest(const PipelineShape& s, std::int64_t stage,
                      std::span<const double> /*weight*/, std::span<std::int64_t> held) {
    held[0] = in_flight(s, stage);
  }

  static Seconds bubble(const PipelineShape& s, const StepTimes<Seconds>& t) {
    return OneFOneB::bubble(s, t);
  }
};

}  // namespace orrery
