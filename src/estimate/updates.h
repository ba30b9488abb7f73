// SPDX-License-Identifier: Apache-2.0
//
// The states and the work of one block for an optimizer whose states follow the matrices' shapes.
//
// Products are of whole matrices, which tensor parallelism gathers in 16 bits first (Megatron-Core,
// muon_tp_mode duplicated); each rank that the optimizer is sharded over owns whole matrices (its
// layer-wise distributed optimizer). The states of whole matrices, as SOAP's, are divided evenly
// over the ranks that split them; states without products are the shard's. Expert matrices are one
// an expert. Leaves out: the split of fused projections into matrices of their own, uneven shares
// of the ranks. Units: bytes and seconds of one rank, before sharding over replicas. Errors: none.
#pragma once

#include "model/operators.h"
#include "parallel/parameters_held.h"

namespace orrery {

struct Placement;
struct Run;
struct ShardedBlock;

// Adds to `held`, which has the block's parameters. `tied_copy`: of a shared weight too.
void add_updates(const Run& run, const Placement& placement, const Block& block,
                 const ShardedBlock& sharded, bool tied_copy, ParametersHeld& held);

// The same states of all ranks of one replica together; none for Adam and SGD, which recipes
// price. Vectors that all ranks of tp hold count for each.
Bytes matrix_states(const Run& run);

}  // namespace orrery
