// SPDX-License-Identifier: Apache-2.0
//
// Memory of one block's tensors in its backward pass, from its sharded list: gradients of
// activations, inputs of the weight gradients, logits; and how far a recomputed forward must run to
// restore all saved tensors.
//
// A product saves its input, so a recomputed forward may stop before the last one. Leaves out: the
// tensors that a block keeps between its passes (kept_bytes(), parallel/shard.h). Units: bytes of
// one rank, one micro batch; `element` is bytes of an element. Errors: none.
#pragma once

#include <array>
#include <cstdint>

#include "core/modules.h"
#include "model/operators.h"
#include "orrery/quantity.h"

namespace orrery {

struct ShardedBlock;

// The largest sum of the gradients of one operator's output and input in backward, and the largest
// weight that is unpacked for a product, unless products read packed weights.
Bytes transient_bytes(const ShardedBlock& block, double element, bool reads_packed = false);

// Inputs of the weight gradients: the input of a product, saved or recomputed, and the gradient of
// its output, of a linear layer in the `linear` bytes that its products read.
Bytes weight_gradient_bytes(const ShardedBlock& block, double element, double linear);

Bytes loss_bytes(const ShardedBlock& block);

// The head of a multi-token prediction module is not recomputed.
std::uint8_t recomputable_end(const ShardedBlock& block);

// One past the last operator that must run again to restore all saved tensors: a product saves its
// input, so the last one itself does not run.
std::uint8_t last_needed(const ShardedBlock& block);

// Modules that drop tensors saved by operators after this one, for every operator.
using DroppedAfter = std::array<ModuleMask, kMaxOperators>;
DroppedAfter dropped_after(const ShardedBlock& block);

}  // namespace orrery
