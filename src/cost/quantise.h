// SPDX-License-Identifier: Apache-2.0
//
// The cost of quantising the operands of a product in 8 or 4 bits, which are stored in 16 bits.
//
// Each activation, and each gradient of one, is read once in 16 bits and written twice in the
// narrow format, along either dimension that a product sums over: bytes over the attained
// bandwidth. The wider the product, the smaller the share, because its FLOPs grow with one more
// dimension. Leaves out weights, quantised once a step; reductions of amax over ranks; kernels
// fused with the one that computed the activation. Units: SI. Errors: none. Source: the layouts of
// Transformer Engine's casts (NVIDIA/TransformerEngine, cast and transpose) [from memory,
// unverified].
#pragma once

#include "cost/operator_time.h"

namespace orrery {

bool is_quantised(const ShardedOperator& op, Precision linear);

// Adds the operator's input before forward, the gradient of its output before backward.
template <Number R>
void add_quantising(const ShardedOperator& op, const Device& d, Precision linear,
                    OperatorTime<R>& t);

}  // namespace orrery
