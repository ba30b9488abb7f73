// SPDX-License-Identifier: Apache-2.0
//
// What the tensors of one block ask of memory as it goes backward, read off its sharded list: the
// gradients at work, what the weight gradients wait with, the logits; and how far a recomputed
// forward must run for all that was saved to be back.
//
// A product saves its input, so a recomputed forward may stop before the last one. Leaves out: what
// a block keeps between its passes (kept_bytes(), parallel/shard.h). Units: bytes of one rank, one
// micro batch; `element` is bytes of an element. Errors: none.
#pragma once

#include <cstdint>

#include "core/modules.h"
#include "orrery/quantity.h"

namespace orrery {

struct ShardedBlock;

// The most that a block's operators write and read back at once in backward: the gradients of one
// operator's output and input.
Bytes transient_bytes(const ShardedBlock& block, double element);

// What the weight gradients need: the input of a product, which it saved or recomputed, and the
// gradient of its output.
Bytes weight_gradient_bytes(const ShardedBlock& block, double element);

Bytes loss_bytes(const ShardedBlock& block);

// The head of a multi-token prediction module is not recomputed.
std::uint8_t recomputable_end(const ShardedBlock& block);

// One past the last operator that must run again for all saved tensors to be back: a product saves
// its input, so the last one itself need not.
std::uint8_t last_needed(const ShardedBlock& block);

// Modules that let tensors go which operators after the i-th one saved.
ModuleMask dropped_after(const ShardedBlock& block, std::uint8_t i);

}  // namespace orrery
