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
  BytesOf<R> kept{};       // under the run's recompute, were it selective or none
  BytesOf<R> kept_all{};   // with nothing recomputed
  BytesOf<R> logits{};     // of `kept`, what the loss holds
  BytesOf<R> input{};      // what full recompute keeps
  BytesOf<R> transient{};  // gradients of activations alive at once in backward
};

// `count` equal blocks of a chunk. Embedding and head are never recomputed.
template <Number R>
struct BlockGroup {
  const BlockActivations<R>* block = nullptr;
  std::int64_t count = 0;
  bool recomputable = false;
};

// Layers of `n` whose forward runs again in full.
inline std::int64_t fully_recomputed(const Strategy& s, std::int64_t n) {
  if (s.recompute != Recompute::full) return 0;
  if (s.recompute_method == RecomputeMethod::uniform || s.recompute_layers == 0) return n;
  return std::min(s.recompute_layers, n);
}

// Layers that full recompute runs again at once.
inline std::int64_t recompute_group(const Strategy& s) {
  const bool grouped = s.recompute_method == RecomputeMethod::uniform && s.recompute_layers > 0;
  return grouped ? s.recompute_layers : 1;
}

// Saved tensors of one micro batch, logits not included.
template <Number R>
BytesOf<R> kept_of(const Strategy& s, const BlockGroup<R>& g) {
  const R n = count<R>(g.count, {"blocks of this kind in the chunk"});
  const std::int64_t again = g.recomputable ? fully_recomputed(s, g.count) : 0;
  if (again == 0) return n * (g.block->kept - g.block->logits);
  const std::int64_t group = recompute_group(s);
  const R inputs = count<R>((again + group - 1) / group, {"inputs kept in the chunk"});
  const R whole = count<R>(g.count - again, {"blocks kept whole"});
  return inputs * g.block->input + whole * g.block->kept_all;
}

// What recomputing one piece of a block of this kind brings back.
template <Number R>
BytesOf<R> working_of(const Strategy& s, const BlockGroup<R>& g) {
  if (!g.recomputable || s.recompute == Recompute::none) return {};
  if (s.recompute == Recompute::selective) return g.block->kept_all - g.block->kept;
  const R at_once = count<R>(std::min(recompute_group(s), g.count), {"layers recomputed at once"});
  return at_once * g.block->kept_all;
}

template <Number R>
struct ChunkActivations {
  BytesOf<R> kept{};    // one micro batch
  BytesOf<R> logits{};  // one micro batch
  BytesOf<R> working{};
  BytesOf<R> transient{};
};

template <Number R>
ChunkActivations<R> chunk_activations(const Strategy& s, std::span<const BlockGroup<R>> groups) {
  ChunkActivations<R> c;
  for (const BlockGroup<R>& g : groups) {
    c.kept += kept_of<R>(s, g);
    c.logits += count<R>(g.count, {"blocks of this kind in the chunk"}) * g.block->logits;
    c.working = larger(c.working, working_of<R>(s, g));
    c.transient = larger(c.transient, g.block->transient);
  }
  return c;
}

}  // namespace orrery
