// SPDX-License-Identifier: Apache-2.0
//
// What a product in 8 or 4 bits costs before it starts: its operands are stored in 16 bits and
// quantised.
//
// Models each activation, and each gradient of one, read once in 16 bits and written twice in the
// narrow ones, along either dimension that a product sums over: bytes over the bandwidth attained.
// That weighs less the wider the product, as its FLOPs grow with one more dimension. Leaves out
// weights, quantised once a step; reductions of amax over ranks; kernels fused with what computed
// the activation. Units: SI. Errors: none. Source: the layouts of Transformer Engine's casts
// (NVIDIA/TransformerEngine, cast and transpose) [from memory, unverified].
#pragma once

#include "cost/operator_time.h"

namespace orrery {

bool is_quantised(const ShardedOperator& op, Precision linear);

// Adds the operator's input before forward, the gradient of its output before backward.
template <Number R>
void add_quantising(const ShardedOperator& op, const Device& d, Precision linear,
                    OperatorTime<R>& t);

}  // namespace orrery
