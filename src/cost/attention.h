// SPDX-License-Identifier: Apache-2.0
//
// The time of the attention core alone on a device.
//
// Fused (FlashAttention and its kin): FLOPs of the pairs that the mask keeps, over the dense 16-bit
// peak times f(head size)·s/(s + s½); s is the number of keys. Backward runs five products where
// forward runs two (arXiv:2307.08691, section 3.1.2). Unfused: two batched products over all s²
// pairs; the passes over the scores are pointwise operators of the list.
//
// A ring of context ranks (arXiv:2310.01889) calls the fused kernel once a step over the keys of
// one rank. A row of queries costs the keys it sees and h more, s½ = 2h + a tile under a causal
// mask, so short calls take longer. After each step but the first it adds what it found to the
// output. Leaves out: block sparsity other than windows and chunks; of a ring, sums of the
// gradients of keys and values, and the memory of an output in fp32. Constants per device and
// kernel: configs/hardware/devices. Errors: none.
#pragma once

#include "core/number.h"
#include "core/precision.h"
#include "cost/shapes.h"
#include "hardware/device.h"

namespace orrery {

inline constexpr double kFusedBackwardProducts = 5.0 / 2.0;

// Rows of queries a thread block of a fused kernel works on (Dao-AILab/flash-attention,
// csrc/flash_attn/src/flash_fwd_launch_template.h: 128 in most of its kernels).
inline constexpr double kAttentionQueryTile = 128;

// Under a balanced causal mask half of the calls after the first are of half of the queries.
inline constexpr double kRingCausalShare = 0.75;

// A merge reads a part and reads and writes the sum in fp32, as PyTorch's context_parallel does
// (torch/distributed/tensor/experimental/_attention.py, _SDPAMerger) [from memory, unverified]; the
// same holds for the gradient of the queries. Forward has log-sum-exps of 4 bytes besides, two read
// and one written.
inline constexpr double kMergedSumBytes = 8;
inline constexpr double kMergedStatisticBytes = 12;

// A window to both sides counts as one, too.
constexpr bool is_causal(const AttentionShape& a) { return a.pairs < 1; }

// Linear between the measured head sizes, constant beyond them.
double at_head_size(const ByHeadSize& f, double head_size);

// Products of queries with keys and of probabilities with values: 2·pairs·(d + d_v) a head.
template <Number R>
FlopsOf<R> attention_flops(const AttentionShape& a);

template <Number R>
SecondsOf<R> fused_attention_time(const AttentionShape& a, const Device& d, AttentionKernel kernel,
                                  Precision precision, bool backward);

// The merging of a ring's partial outputs, forward or backward; nothing for one step.
template <Number R>
SecondsOf<R> ring_merging_time(const AttentionShape& a, const Device& d, Precision precision,
                               double passes, bool backward);

// The rate of batched products as narrow as a head.
template <Number R>
FlopsPerSecondOf<R> unfused_rate(const Device& d, Precision precision);

// One of the two batched products of unfused attention; `width` is the head size it runs over.
template <Number R>
SecondsOf<R> unfused_product_time(const AttentionShape& a, std::int64_t width, const Device& d,
                                  Precision precision);

}  // namespace orrery
