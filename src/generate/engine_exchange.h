// SPDX-License-Identifier: Apache-2.0
//
// Exchanges between the GPUs of an engine in one pass.
//
// Small all-reduces within a node run in a kernel of the engine (vLLM's and TensorRT-LLM's custom
// all-reduce): a fixed time, and two phases of (n − 1)/n of the buffer over the node's links. Where
// the communication library is faster, or the group leaves the node, the library's time counts
// (network/collective_cost.h). Experts apart from attention (dp > 1) take two all-to-alls; within
// one replica every GPU has all tokens, so one all-reduce sums what its experts made. Errors: none.
#pragma once

#include "generate/generator.h"
#include "parallel/placement.h"

namespace orrery {

// The groups of one engine on the tiers of its cluster.
Placement placement_of(const Generator& g);

// The time of a forward exchange of this operator, with all its repetitions in a pass.
Seconds exchange_time(const Generator& g, const ShardedOperator& op, const Exchange& e);

}  // namespace orrery
