// SPDX-License-Identifier: Apache-2.0
//
// Activations of one pipeline stage at the fullest moment of its device: micro batches in flight,
// chunk by chunk, times the saved tensors of each, and the working memory of one in backward
// (peak_moment.h). Sizes are before offloading. With activations on the host only those of two
// layers stay, for any number of micro batches (stage_memory.cpp), so the logits decide which
// moment is the fullest. Leaves out that the host may be fullest at another moment. Units: bytes of
// one rank. Errors: none.
#pragma once

#include <cstdint>
#include <span>

#include "core/number.h"
#include "parallel/schedules/held.h"
#include "parallel/strategy_choices.h"

namespace orrery {

template <Number R>
struct ChunkActivations;

template <Number R>
struct StageActivations {
  BytesOf<R> kept{};
  BytesOf<R> stays{};  // of them, where activations are offloaded
  BytesOf<R> logits{};
  BytesOf<R> transient{};  // of the micro batch in backward, like the next
  BytesOf<R> working{};
  BytesOf<R> largest{};        // of one layer
  BytesOf<R> moved{};          // of that, where activations are offloaded
  std::int64_t in_flight = 0;  // micro batches, of all chunks
};

// `moments`: the stage's fullest moments, if the schedule is written out (held.h). `target`: where
// activations are stored.
template <Number R>
StageActivations<R> stage_activations(ScheduleId schedule, const PipelineShape& shape,
                                      std::int64_t stage, std::span<const HeldChunk> moments,
                                      std::span<const ChunkActivations<R>> chunks,
                                      OffloadTarget target);

}  // namespace orrery
