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

template <Number R>
BytesOf<R> kept_whole(const BlockGroup<R>& g) {
  return g.block->kept_all - g.block->logits;
}

template <Number R>
BytesOf<R> kept_in_part(const BlockGroup<R>& g) {
  return g.block->kept - g.block->logits;
}

// The same blocks with those tensors alone that stay under offload.
template <Number R>
BlockActivations<R> staying(const BlockActivations<R>& b) {
  BlockActivations<R> s;
  s.kept = b.kept_stays;
  s.kept_all = b.all_stays;
  s.input = b.input_stays;
  return s;
}

// Saved tensors of one micro batch that are not recomputed in full, logits not included.
template <Number R>
BytesOf<R> kept_of(const BlockGroup<R>& g) {
  const std::int64_t others = g.count - g.recompute_full;
  const std::int64_t whole = others - g.recompute_selective;
  if (whole == 0 || whole == others) {
    const R n = count<R>(others, {"blocks of this kind that keep their tensors"});
    return n * (whole == 0 ? kept_in_part<R>(g) : kept_whole<R>(g));
  }
  return count<R>(whole, {"blocks of this kind that keep all of their tensors"}) *
             kept_whole<R>(g) +
         count<R>(g.recompute_selective, {"blocks of this kind that drop tensors of modules"}) *
             kept_in_part<R>(g);
}

// Tensors restored by recomputing a part of a block of this kind, `at_once` blocks in full.
template <Number R>
BytesOf<R> working_of(const BlockGroup<R>& g, std::int64_t at_once) {
  if (g.recompute_full > 0) {
    const BytesOf<R> all = count<R>(at_once, {"layers recomputed at once"}) * kept_whole<R>(g);
    const double pieces = g.block->pieces;
    return pieces == 1 ? all : all / lift<R>(pieces, {"parts of the layer recomputed in turn"});
  }
  return g.recompute_selective > 0 ? g.block->kept_all - g.block->kept : BytesOf<R>{};
}

// Saved by the block that saves most of those that are alike but for what they run again.
template <Number R>
BytesOf<R> largest_of(const BlockGroup<R>& g) {
  if (g.recompute_full + g.recompute_selective < g.count) return kept_whole<R>(g);
  return g.recompute_selective > 0 ? kept_in_part<R>(g) : g.block->input;
}

// Blocks of a stack that run again: kinds of layer whose inputs are equal follow one another in it.
template <Number R>
std::int64_t again_in_stack(std::span<const BlockGroup<R>> groups, const BlockGroup<R>& of) {
  std::int64_t again = 0;
  for (const BlockGroup<R>& g : groups) {
    if (plain(g.block->input) == plain(of.block->input)) again += g.recompute_full;
  }
  return again;
}

// The input of each group of layers that runs again, stack by stack. A frozen block without a
// backward pass has no input to keep.
template <Number R>
BytesOf<R> kept_inputs(const Strategy& s, std::span<const BlockGroup<R>> groups) {
  BytesOf<R> sum{};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const BlockGroup<R>& g = groups[i];
    if (g.recompute_full == 0 || plain(g.block->input) == Bytes()) continue;
    if (again_in_stack<R>(groups.first(i), g) > 0) continue;  // the stack is counted already
    const std::int64_t again = again_in_stack<R>(groups, g);
    const std::int64_t inputs = divided_up(again, std::min(recompute_group(s), again));
    sum += count<R>(inputs, {"inputs kept in the chunk"}) * g.block->input;
  }
  return sum;
}

// Bytes of the chunk that stay under offload: tensors that are not named, and layers beyond the
// share that moves.
template <Number R>
void set_staying(const Strategy& s, std::span<const BlockGroup<R>> groups, ChunkActivations<R>& c) {
  c.moved = c.largest;
  if (s.offload.activations == OffloadTarget::none) return;
  if (s.offload.tensors != 0) {
    BytesOf<R> inputs{};
    BytesOf<R> most{};
    for (const BlockGroup<R>& g : groups) {
      const BlockActivations<R> block = staying<R>(*g.block);
      const BlockGroup<R> stays = {&block, g.count, g.recompute_full, g.recompute_selective};
      c.stays += kept_of<R>(stays);
      most = larger(most, largest_of<R>(g) - largest_of<R>(stays));
      const R again = count<R>(g.recompute_full, {"blocks of this kind that keep their input"});
      if (g.recompute_full > 0 && s.offload.tensors != 0) inputs += again * block.input;
    }
    c.stays += smaller(inputs, kept_inputs<R>(s, groups));
    c.moved = most;
  }
  if (s.offload.activations_fraction == 1) return;
  const R share =
      lift<R>(s.offload.activations_fraction, {"parallel.offload.activations_fraction"});
  c.stays += (c.kept - c.stays) * (R(1.0) - share);
}

}  // namespace

template <Number R>
ChunkActivations<R> chunk_activations(const Strategy& s, std::span<const BlockGroup<R>> groups) {
  ChunkActivations<R> c;
  for (const BlockGroup<R>& g : groups) {
    const std::int64_t at_once = std::min(recompute_group(s), again_in_stack<R>(groups, g));
    c.kept += kept_of<R>(g);
    const R blocks = count<R>(g.count, {"blocks of this kind in the chunk"});
    c.logits += blocks * g.block->logits;
    c.for_weights += blocks * g.block->for_weights;
    c.working = larger(c.working, working_of<R>(g, at_once));
    c.transient = larger(c.transient, g.block->transient);
    c.largest = larger(c.largest, largest_of<R>(g));
  }
  c.kept += kept_inputs<R>(s, groups);
  set_staying<R>(s, groups, c);
  return c;
}

template ChunkActivations<double> chunk_activations(const Strategy&,
                                                    std::span<const BlockGroup<double>>);
template ChunkActivations<Traced> chunk_activations(const Strategy&,
                                                    std::span<const BlockGroup<Traced>>);

}  // namespace orrery
