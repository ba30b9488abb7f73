// SPDX-License-Identifier: Apache-2.0
//
// Counts that enter the chain as the sums that they are, recorded for `explain`: parameters and
// saved tensors of a block by operator, parameters of a stage by kind of layer.
//
// Each sum is of the very sizes that the count was made from (model/operators.h at the run's
// degrees). Leaves out the states of an optimizer that go by matrices, and frozen weights. Units:
// parameters; bytes of one rank and micro batch. Errors: none.
#pragma once

#include <span>

#include "core/number.h"
#include "estimate/price.h"

namespace orrery {

struct Run;

// The tensors that the operators of a block keep where the modules of `recomputed` run again.
BytesOf<Traced> kept_tensors(const Block& block, const Degrees& d, ModuleMask recomputed);

// The part of it that the loss keeps.
BytesOf<Traced> kept_logits(const Block& block, const Degrees& d);

// The tensor that full recompute keeps.
BytesOf<Traced> kept_input(const Block& block, const Degrees& d);

// The gradients of the operator that has the largest (estimate/block_tensors.h).
BytesOf<Traced> largest_gradients(const ShardedBlock& block, double element);

// Parameters of the block and of its largest operator.
void record_parameters(const Block& block, const Degrees& d, const BlockPrice<Traced>& price);

// Parameters of a chunk, which has `sum` of them.
void record_parameters(const Run& run, const Prices<Traced>& prices, const BlockCounts& blocks,
                       const ParametersHeld& sum);

// Parameters of a stage, which has these chunks.
void record_parameters(std::span<const ParametersHeld> chunks);

}  // namespace orrery
