// SPDX-License-Identifier: Apache-2.0
//
// Activations of a pipeline stage: the tensors that each block saves for backward, times the micro
// batches in flight, and the tensors that recomputation restores.
//
// Full recompute saves a block's input only: `uniform` one input for every group of n layers of a
// stack (decoder, encoder of images, multi-token prediction), `block` the inputs of the first n
// layers of a chunk and everything of the others. Selective
// recompute drops the saved tensors of its modules. Sources: Korthikanti et al.,
// arXiv:2205.05198, sections 4-5; micro batches in flight: parallel/schedules. Units: bytes of one
// rank. Errors: none.
#pragma once

#include <cstdint>
#include <span>

#include "core/number.h"

namespace orrery {

struct Strategy;

// Tensors of one block and one micro batch.
template <Number R>
struct BlockActivations {
  BytesOf<R> kept{};      // under the run's selective recompute, or none
  BytesOf<R> kept_all{};  // with nothing recomputed
  BytesOf<R> logits{};    // part of `kept` that the loss holds
  BytesOf<R> input{};     // saved by full recompute
  // The parts of these three that stay where activations are offloaded by name.
  BytesOf<R> kept_stays{};
  BytesOf<R> all_stays{};
  BytesOf<R> input_stays{};
  double pieces = 1;         // parts of the block that full recompute runs one after the other
  BytesOf<R> transient{};    // gradients of activations alive at once in backward
  BytesOf<R> for_weights{};  // inputs of the weight gradients, if these are a separate pass
};

// `count` equal blocks of a chunk, of which the forward of `recompute_full` runs again, and
// modules of `recompute_selective`.
template <Number R>
struct BlockGroup {
  const BlockActivations<R>* block = nullptr;
  std::int64_t count = 0;
  std::int64_t recompute_full = 0;
  std::int64_t recompute_selective = 0;
};

template <Number R>
struct ChunkActivations {
  BytesOf<R> kept{};    // one micro batch
  BytesOf<R> stays{};   // of them, where activations are offloaded
  BytesOf<R> logits{};  // one micro batch
  BytesOf<R> working{};
  BytesOf<R> transient{};
  BytesOf<R> largest{};      // saved by one block for one micro batch
  BytesOf<R> moved{};        // of that, where activations are offloaded
  BytesOf<R> for_weights{};  // of one micro batch whose input gradient is done
};

template <Number R>
ChunkActivations<R> chunk_activations(const Strategy& s, std::span<const BlockGroup<R>> groups);

}  // namespace orrery
