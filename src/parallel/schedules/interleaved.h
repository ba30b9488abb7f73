// SPDX-License-Identifier: Apache-2.0
//
// Interleaved 1F1B (Narayanan et al. 2021, arXiv:2104.04473, section 2.2) in Megatron-LM's order
// (core/pipeline_parallel/schedules.py, forward_backward_pipelining_with_interleaving): micro
// batches in groups of p, each group through one chunk after the other, backward from the last
// chunk to the first. Stage i first does min(m·v, 2(p − 1 − i) + (v − 1)p) forward steps, then one
// forward and one backward in turn. m must be a multiple of p.
//
// The micro batches that a stage holds move from chunk to chunk while their number stays the same,
// so with chunks of different size the fullest moment must be searched (fullest). Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "orrery/quantity.h"
#include "parallel/schedules/schedule.h"

namespace orrery {

struct Interleaved {
  // Position n: micro batch (n / pv)·p + n % p of chunk (n % pv) / p, chunks counted from the last
  // one in backward.
  template <bool kLastChunkFirst>
  struct Grouped {
    std::int64_t position;
    std::int64_t micro_batch;
    std::int64_t chunk;

    Grouped(const PipelineShape& s, std::int64_t at);
    void next();
    void previous();

   private:
    static constexpr std::int64_t kUp = kLastChunkFirst ? -1 : 1;

    std::int64_t in_group_;  // micro_batch % p
    std::int64_t p_;
    std::int64_t first_chunk_;  // in this direction
    std::int64_t last_chunk_;
  };

  using Forward = Grouped<false>;
  using Backward = Grouped<true>;
  static constexpr std::int64_t kBackwardSlope = 1;
  static constexpr bool kSeveralChunks = true;

  // Stage i runs p − 1 − i rounds behind the last one. So every step, also one that comes round
  // from the last stage to the first or back, waits for a step of the round before.
  static constexpr Rounds rounds(const PipelineShape& s) {
    const std::int64_t lag = s.stages - 1;
    const std::int64_t ahead = (s.chunks - 1) * s.stages;
    return {-lag - ahead, steps_each_way(s) + lag, lag + ahead, -lag};
  }

  static std::int64_t warm_up(const PipelineShape& s, std::int64_t stage) {
    return std::min(steps_each_way(s), 2 * (s.stages - 1 - stage) + (s.chunks - 1) * s.stages);
  }

  static std::int64_t in_flight(const PipelineShape& s, std::int64_t stage) {
    return std::min(steps_each_way(s), warm_up(s, stage) + 1);
  }

  static void fullest(const PipelineShape& s, std::int64_t stage, std::span<const double> weight,
                      std::span<std::int64_t> held);

  static Seconds bubble(const PipelineShape& s, const StepTimes<Seconds>& t) {
    return static_cast<double>(s.stages - 1) * (t.forward + t.input_gradient + t.weight_gradient);
  }
};

template <bool kLastChunkFirst>
inline Interleaved::Grouped<kLastChunkFirst>::Grouped(const PipelineShape& s, std::int64_t at)
    : position(at),
      p_(s.stages),
      first_chunk_(kLastChunkFirst ? s.chunks - 1 : 0),
      last_chunk_(kLastChunkFirst ? 0 : s.chunks - 1) {
  const std::int64_t round = s.stages * s.chunks;
  const std::int64_t in_round = ((at % round) + round) % round;
  in_group_ = in_round % p_;
  micro_batch = (at - in_round) / s.chunks + in_group_;
  chunk = first_chunk_ + kUp * (in_round / p_);
}

template <bool kLastChunkFirst>
inline void Interleaved::Grouped<kLastChunkFirst>::next() {
  ++position;
  ++micro_batch;
  if (++in_group_ < p_) return;
  in_group_ = 0;
  if (chunk == last_chunk_) {
    chunk = first_chunk_;
  } else {
    chunk += kUp;
    micro_batch -= p_;
  }
}

template <bool kLastChunkFirst>
inline void Interleaved::Grouped<kLastChunkFirst>::previous() {
  --position;
  --micro_batch;
  if (--in_group_ >= 0) return;
  in_group_ = p_ - 1;
  if (chunk == first_chunk_) {
    chunk = last_chunk_;
  } else {
    chunk -= kUp;
    micro_batch += p_;
  }
}

}  // namespace orrery
