// SPDX-License-Identifier: Apache-2.0
#include "memory/activations.h"

#include <algorithm>

#include "core/divide.h"
#include "parallel/strategy.h"

namespace orrery {
namespace {

// Layers that full recompute runs again at once.
std::int64_t recompute_group(const Strategy& s) {
  const bool grouped = s.recompute_method == RecomputeMethod::uniform && s.recompute_layers > 0;
  return grouped ? s.recompute_layers : 1;
}

// Saved tensors of one micro batch that are not recomputed in full, logits not included.
template <Number R>
BytesOf<R> kept_of(const BlockGroup<R>& g) {
  const R whole =
      count<R>(g.count - g.recompute_full, {"blocks of this kind that keep their tensors"});
  return whole * (g.block->kept - g.block->logits);
}

// Tensors restored by recomputing a part of a block of this kind, `at_once` blocks in full.
template <Number R>
BytesOf<R> working_of(const Strategy& s, const BlockGroup<R>& g, std::int64_t at_once) {
  if (g.recompute_full == 0) {
    return s.recompute == Recompute::selective ? g.block->kept_all - g.block->kept : BytesOf<R>{};
  }
  return count<R>(at_once, {"layers recomputed at once"}) * (g.block->kept_all - g.block->logits);
}

}  // namespace

template <Number R>
ChunkActivations<R> chunk_activations(const Strategy& s, std::span<const BlockGroup<R>> groups) {
  std::int64_t again = 0;
  for (const BlockGroup<R>& g : groups) again += g.recompute_full;
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
    c.largest =
        larger(c.largest, g.recompute_full > 0 ? g.block->input : g.block->kept - g.block->logits);
    if (g.recompute_full > 0) input = g.block->input;  // every layer's is the residual stream
  }
  if (again > 0) {
    c.kept += count<R>(divided_up(again, at_once), {"inputs kept in the chunk"}) * input;
  }
  return c;
}

template ChunkActivations<double> chunk_activations(const Strategy&,
                                                    std::span<const BlockGroup<double>>);
template ChunkActivations<Traced> chunk_activations(const Strategy&,
                                                    std::span<const BlockGroup<Traced>>);

}  // namespace orrery
