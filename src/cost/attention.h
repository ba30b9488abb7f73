// SPDX-License-Identifier: Apache-2.0
//
// The time of the attention core alone on a device.
//
// Fused (FlashAttention and its kin): FLOPs of the pairs that the mask keeps, over the dense 16-bit
// peak times f(head size)·s/(s + s½); s is the number of keys. Backward runs five products where
// forward runs two (arXiv:2307.08691, section 3.1.2). Unfused: two batched products over all s²
// pairs; the passes over the scores are pointwise operators of the list. Leaves out: block sparsity
// other than windows and chunks. Constants per device and kernel: configs/hardware/devices.
// Errors: none.
#pragma once

#include "core/number.h"
#include "core/precision.h"
#include "cost/shapes.h"
#include "hardware/device.h"

namespace orrery {

inline constexpr double kFusedBackwardProducts = 5.0 / 2.0;

// Linear between the measured head sizes, constant beyond them.
double at_head_size(const ByHeadSize& f, double head_size);

// Products of queries with keys and of probabilities with values: 2·pairs·(d + d_v) a head.
template <Number R>
FlopsOf<R> attention_flops(const AttentionShape& a);

template <Number R>
SecondsOf<R> fused_attention_time(const AttentionShape& a, const Device& d, AttentionKernel kernel,
                                  Precision precision, bool backward);

// The rate of batched products as narrow as a head.
template <Number R>
FlopsPerSecondOf<R> unfused_rate(const Device& d, Precision precision);

// One of the two batched products of unfused attention; `width` is the head size it runs over.
template <Number R>
SecondsOf<R> unfused_product_time(const AttentionShape& a, std::int64_t width, const Device& d,
                                  Precision precision);

}  // namespace orrery
