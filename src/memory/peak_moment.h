// SPDX-License-Identifier: Apache-2.0
//
// What a stage's memory holds of activations at one moment, and the sums over its lines.
//
// A micro batch goes backward either at its loss, with its logits, or in a layer after it, with
// what recomputing the layer brings back and the gradients at work; never with both. Cached blocks
// that would exceed the device are given back to it, as PyTorch's allocator does before it fails
// (torch.cuda.memory, "memory management"): what rounding loses is not. Leaves out: what giving
// back and asking again costs in time. Units: bytes of one rank. Errors: none.
#pragma once

#include "memory/activations.h"
#include "memory/memory_lines.h"
#include "memory/stage_activations.h"

namespace orrery {

struct Framework;

// What is kept of a stage on the device, where the rest goes elsewhere: those of the layer at work,
// and of another that is on its way.
template <Number R>
BytesOf<R> kept_on_device(BytesOf<R> kept, BytesOf<R> largest, OffloadTarget target) {
  return target == OffloadTarget::none ? kept : smaller(kept, R(2.0) * largest);
}

// What the backward pass of a micro batch works on, less the logits that its beginning frees.
template <Number R>
double beyond_its_logits(const ChunkActivations<R>& chunk) {
  return plain(chunk.working + chunk.transient - chunk.logits).si();
}

// A micro batch of the chunk goes backward, its own logits among those that `a` holds.
template <Number R>
void add_backward(StageActivations<R>& a, const ChunkActivations<R>& chunk) {
  if (beyond_its_logits(chunk) <= 0) return;
  a.logits = a.logits - chunk.logits;
  a.working = chunk.working;
  a.transient = chunk.transient;
}

// Sets the lines of activations; what it returns is elsewhere than on the device.
template <Number R>
BytesOf<R> set_activations(StageMemory<R>& m, const Strategy& s, const StageActivations<R>& a);

// Fragmentation and the sums, from the other lines. `capacity` 0: no limit to cached blocks.
template <Number R>
void settle(StageMemory<R>& m, const Framework& f, Bytes capacity);

}  // namespace orrery
