// SPDX-License-Identifier: Apache-2.0
//
// Looped breadth-first (Lamy-Poirier 2022, arXiv:2211.05953, section 4.1): all micro batches
// through one chunk before the next chunk begins, forward and then backward. With one chunk it is
// GPipe with the first micro batch back first. m must be at least p. Errors: none.
#pragma once

#include <cstdint>
#include <span>

#include "orrery/quantity.h"
#include "parallel/schedules/interleaved.h"
#include "parallel/schedules/schedule.h"

namespace orrery {

struct BreadthFirst {
  // Position n: micro batch n % m of the chunk that comes n / m-th.
  template <bool kLastChunkFirst>
  struct ByChunk {
    std::int64_t position;
    std::int64_t micro_batch;
    std::int64_t chunk;

    ByChunk(const PipelineShape& s, std::int64_t at);
    void next() {
      ++position;
      if (++micro_batch < m_) return;
      micro_batch = 0;
      chunk += kUp;
    }
    void previous() {
      --position;
      if (--micro_batch >= 0) return;
      micro_batch = m_ - 1;
      chunk -= kUp;
    }

   private:
    static constexpr std::int64_t kUp = kLastChunkFirst ? -1 : 1;
    std::int64_t m_;
  };

  using Forward = ByChunk<false>;
  using Backward = ByChunk<true>;
  static constexpr std::int64_t kBackwardSlope = 1;
  static constexpr bool kSeveralChunks = true;

  // The rounds of GPipe, over v times as many steps.
  static constexpr Rounds rounds(const PipelineShape& s) {
    const std::int64_t one_way = steps_each_way(s) + s.stages - 1;
    return {0, 2 * one_way, 0, -one_way - (s.stages - 1)};
  }

  static std::int64_t in_flight(const PipelineShape& s, std::int64_t /*stage*/) {
    return steps_each_way(s);
  }

  static void fullest(const PipelineShape& s, std::int64_t /*stage*/,
                      std::span<const double> /*weight*/, std::span<std::int64_t> held) {
    for (std::int64_t& h : held) h = s.micro_batches;
  }

  static Seconds bubble(const PipelineShape& s, const StepTimes<Seconds>& t) {
    return Interleaved::bubble(s, t);
  }
};

template <bool kLastChunkFirst>
inline BreadthFirst::ByChunk<kLastChunkFirst>::ByChunk(const PipelineShape& s, std::int64_t at)
    : position(at), m_(s.micro_batches) {
  micro_batch = ((at % m_) + m_) % m_;
  const std::int64_t turn = (at - micro_batch) / m_;
  chunk = kLastChunkFirst ? s.chunks - 1 - turn : turn;
}

}  // namespace orrery
