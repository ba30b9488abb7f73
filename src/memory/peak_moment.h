// SPDX-License-Identifier: Apache-2.0
//
// Activations in a stage's memory at one moment, and the sums over its lines.
//
// A micro batch in backward is either at its loss, with its logits, or in a layer, with the layer's
// recomputed tensors and current gradients; never both. Cached blocks that would exceed the device
// are released, as PyTorch's allocator does before it fails (torch.cuda.memory, "memory
// management"); memory lost by rounding is not. Leaves out: the time for releasing and allocating
// again. Units: bytes of one rank. Errors: none.
#pragma once

#include "memory/activations.h"
#include "memory/memory_lines.h"
#include "memory/stage_activations.h"

namespace orrery {

struct Framework;

// The activations of a stage that stay on the device under offload: those that do not move, and of
// the others those of the current layer, and of another that is being copied.
template <Number R>
BytesOf<R> kept_on_device(const StageActivations<R>& a, OffloadTarget target) {
  if (target == OffloadTarget::none) return a.kept;
  if (plain(a.stays) == Bytes()) return smaller(a.kept, R(2.0) * a.moved);
  return a.stays + smaller(a.kept - a.stays, R(2.0) * a.moved);
}

// Working memory of a micro batch's backward pass, minus the logits that it frees at its beginning.
template <Number R>
double beyond_its_logits(const ChunkActivations<R>& chunk) {
  return plain(chunk.working + chunk.transient - chunk.logits).si();
}

// A micro batch of the chunk is in backward; `a` includes its logits, unless it holds none of it.
template <Number R>
void add_backward(StageActivations<R>& a, const ChunkActivations<R>& chunk) {
  if (beyond_its_logits(chunk) <= 0) return;
  a.logits = a.logits - smaller(a.logits, chunk.logits);
  a.working = chunk.working;
  a.transient = chunk.transient;
}

// Sets the lines of activations; returns the bytes that are not on the device.
template <Number R>
BytesOf<R> set_activations(StageMemory<R>& m, const Strategy& s, const StageActivations<R>& a);

// The fullest of three moments: a micro batch at its loss, before any gradient of the step exists
// where they are freed with it; its last layer in backward, beside all gradients; the update, with
// nothing gathered. The lines become those of that moment; nothing changes where neither is
// modelled. Flat copies of an update are blocks that no activation's are large enough for:
// whichever of the two is not at its fullest stays cached.
template <Number R>
void choose_moment(StageMemory<R>& m);

// Fragmentation and the sums, from the other lines. `capacity` 0: no limit on cached blocks.
template <Number R>
void settle(StageMemory<R>& m, const Framework& f, Bytes capacity);

}  // namespace orrery
