// SPDX-License-Identifier: Apache-2.0
//
// The time of one sharded operator alone: forward, gradient of its input, gradient of its weight.
//
// Models a roofline with the efficiencies of cost/product.h and cost/attention.h; memory-bound
// operators take their bytes over the attained bandwidth. Leaves out all overlap. Errors: none.
#pragma once

#include "core/number.h"
#include "core/precision.h"
#include "hardware/device.h"

namespace orrery {

struct ShardedOperator;

// A framework's choices about kernels.
struct KernelChoice {
  Precision linear = Precision::bf16;  // of the linear layers
  Precision wide = Precision::bf16;    // of everything else
  AttentionKernel attention = AttentionKernel::flash_2;
  double linear_rate = 1;       // of linear layers, over what the device attains
  double grouped_rate = 1;      // of experts' products besides
  double pointwise_passes = 1;  // memory traffic of pointwise operators over that of fused kernels
  double unpacking_passes = 1;  // the same of kernels that unpack weights
};

template <Number R>
struct OperatorTime {
  SecondsOf<R> forward{};
  SecondsOf<R> backward_input{};
  SecondsOf<R> backward_weight{};
};

template <Number R>
OperatorTime<R> operator_time(const ShardedOperator& op, const Device& d, const KernelChoice& k);

}  // namespace orrery
