// SPDX-License-Identifier: Apache-2.0
//
// What one pipeline stage holds of activations when it is fullest: micro batches in flight, chunk
// by chunk, times what each keeps, and what one of them works on as it goes backward
// (peak_moment.h). Before any of it is sent to the host. Units: bytes of one rank.
#pragma once

#include <cstdint>
#include <span>

#include "memory/activations.h"
#include "parallel/schedules/held.h"
#include "parallel/schedules/table.h"

namespace orrery {

template <Number R>
struct StageActivations {
  BytesOf<R> kept{};
  BytesOf<R> logits{};
  BytesOf<R> transient{};  // of the micro batch that goes backward, as the next
  BytesOf<R> working{};
  BytesOf<R> largest{};        // of one layer
  std::int64_t in_flight = 0;  // micro batches, of all chunks
};

// `moments`: of a schedule that is written out, the stage's fullest moments (held.h).
template <Number R>
StageActivations<R> stage_activations(ScheduleId schedule, const PipelineShape& shape,
                                      std::int64_t stage, std::span<const HeldChunk> moments,
                                      std::span<const ChunkActivations<R>> chunks);

}  // namespace orrery
