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

constexpr bool is_quantised(const ShardedOperator& op, Precision linear) {
  const bool product = op.kind == OpKind::product || op.kind == OpKind::grouped_product;
  return product && op.role == PrecisionRole::linear && storage_precision(linear) != linear;
}

template <Number R>
SecondsOf<R> quantise_time(std::int64_t rows, std::int64_t cols, const Device& d,
                           Precision linear) {
  const double moved = element_bytes(storage_precision(linear)) + 2 * element_bytes(linear);
  const R n = count<R>(rows, {"rows"}) * count<R>(cols, {"columns"});
  const BytesOf<R> bytes(n * lift<R>(moved, {"bytes to quantise an element"}));
  return named(memory_time<R>(bytes, d), {"quantising an operand"});
}

// Its input before forward, the gradient of its output before backward.
template <Number R>
void add_quantising(const ShardedOperator& op, const Device& d, Precision linear,
                    OperatorTime<R>& t) {
  if (!is_quantised(op, linear)) return;
  t.forward += quantise_time<R>(op.rows, op.inner, d, linear);
  t.backward_input += quantise_time<R>(op.rows, op.cols, d, linear);
}

}  // namespace orrery
