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
//
// Frozen weights kept in 4 or 8 bits are unpacked to 16 before every product that reads them: each
// pass reads the one and writes the other. Products in fp8 read weights of fp8 as they are
// (`unpacking_passes` 0).
#pragma once

#include "cost/operator_time.h"

namespace orrery {

bool is_quantised(const ShardedOperator& op, Precision linear);

// Adds the operator's input before forward, the gradient of its output before backward.
template <Number R>
void add_quantising(const ShardedOperator& op, const Device& d, Precision linear,
                    OperatorTime<R>& t);

// Adds reading a packed weight and writing it in 16 bits, before each of its two products.
template <Number R>
void add_unpacking(const ShardedOperator& op, const Device& d, const KernelChoice& k,
                   OperatorTime<R>& t);

inline constexpr double kUnpackedBytes = 2;

}  // namespace orrery
