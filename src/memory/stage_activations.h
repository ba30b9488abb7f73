// SPDX-License-Identifier: Apache-2.0
//
// What one pipeline stage holds of activations when its device is fullest: micro batches in flight,
// chunk by chunk, times what each keeps, and what one of them works on as it goes backward
// (peak_moment.h). Where activations go to the host, two layers' stay, of however many micro
// batches (stage_memory.cpp), so that logits decide which moment is the fullest; what is told here
// is before they go. Leaves out that the host may be fullest at another moment. Units: bytes of one
// rank.
#pragma once

#include <cstdint>
#include <span>

#include "core/number.h"
#include "parallel/schedules/held.h"
#include "parallel/strategy.h"

namespace orrery {

template <Number R>
struct ChunkActivations;

template <Number R>
struct StageActivations {
  BytesOf<R> kept{};
  BytesOf<R> logits{};
  BytesOf<R> transient{};  // of the micro batch that goes backward, as the next
  BytesOf<R> working{};
  BytesOf<R> largest{};        // of one layer
  std::int64_t in_flight = 0;  // micro batches, of all chunks
};

// `moments`: of a schedule that is written out, the stage's fullest moments (held.h). `target`:
// where activations go.
template <Number R>
StageActivations<R> stage_activations(ScheduleId schedule, const PipelineShape& shape,
                                      std::int64_t stage, std::span<const HeldChunk> moments,
                                      std::span<const ChunkActivations<R>> chunks,
                                      OffloadTarget target);

}  // namespace orrery
