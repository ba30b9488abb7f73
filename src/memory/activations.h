// SPDX-License-Identifier: Apache-2.0
//
// Activations a pipeline stage holds: what each block keeps from forward to backward, times the
// micro batches in flight, and what recomputation brings back while it works.
//
// Full recompute keeps a block's input only: `uniform` one input for every group of n layers,
// `block` the inputs of the first n layers of a chunk and everything of the others. Selective
// recompute drops what its modules' saved tensors say. Sources: Korthikanti et al.,
// arXiv:2205.05198, sections 4-5; micro batches in flight: parallel/schedules. Units: bytes of one
// rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/number.h"
#include "parallel/strategy.h"

namespace orrery {

// Of one block and one micro batch.
template <Number R>
struct BlockActivations {
  BytesOf<R> kept{};         // under the run's recompute, were it selective or none
  BytesOf<R> kept_all{};     // with nothing recomputed
  BytesOf<R> logits{};       // of `kept`, what the loss holds
  BytesOf<R> input{};        // what full recompute keeps
  BytesOf<R> transient{};    // gradients of activations alive at once in backward
  BytesOf<R> for_weights{};  // what the weight gradients need, where they are steps of their own
};

// `count` equal blocks of a chunk, of which the forward of `again` runs again in full.
template <Number R>
struct BlockGroup {
  const BlockActivations<R>* block = nullptr;
  std::int64_t count = 0;
  std::int64_t again = 0;
};

// Layers that full recompute runs again at once.
inline std::int64_t recompute_group(const Strategy& s) {
  const bool grouped = s.recompute_method == RecomputeMethod::uniform && s.recompute_layers > 0;
  return grouped ? s.recompute_layers : 1;
}

// Saved tensors of one micro batch that are not recomputed in full, logits not included.
template <Number R>
BytesOf<R> kept_of(const BlockGroup<R>& g) {
  const R whole = count<R>(g.count - g.again, {"blocks of this kind that keep their tensors"});
  return whole * (g.block->kept - g.block->logits);
}

// What recomputing one piece of a block of this kind brings back, `at_once` blocks in full.
template <Number R>
BytesOf<R> working_of(const Strategy& s, const BlockGroup<R>& g, std::int64_t at_once) {
  if (g.again == 0) {
    return s.recompute == Recompute::selective ? g.block->kept_all - g.block->kept : BytesOf<R>{};
  }
  return count<R>(at_once, {"layers recomputed at once"}) * (g.block->kept_all - g.block->logits);
}

template <Number R>
struct ChunkActivations {
  BytesOf<R> kept{};    // one micro batch
  BytesOf<R> logits{};  // one micro batch
  BytesOf<R> working{};
  BytesOf<R> transient{};
  BytesOf<R> largest{};      // what one block keeps of one micro batch
  BytesOf<R> for_weights{};  // of one micro batch whose input gradient is done
};

template <Number R>
ChunkActivations<R> chunk_activations(const Strategy& s, std::span<const BlockGroup<R>> groups) {
  std::int64_t again = 0;
  for (const BlockGroup<R>& g : groups) again += g.again;
  const std::int64_t at_once = std::min(recompute_group(s), again);
  ChunkActivations<R> c;
  BytesOf<R> input{};
  for (const BlockGroup<R>& g : groups) {
    c.kept += kept_of<R>(g);
    const R blocks = count<R>(g.count, {"blocks of this kind in the chunk"});
    c.logits += blocks * g.block->logits;
    c.for_weights += blocks * g.block->for_weights;
    c.working = larger(c.working, working_of<R>(s, g, at_once));
    c.transient = larger(c.transient, g.block->transient);
    c.largest = larger(c.largest, g.again > 0 ? g.block->input : g.block->kept - g.block->logits);
    if (g.again > 0) input = g.block->input;  // every layer's is the residual stream
  }
  if (again > 0) {
    c.kept += count<R>((again + at_once - 1) / at_once, {"inputs kept in the chunk"}) * input;
  }
  return c;
}

}  // namespace orrery
