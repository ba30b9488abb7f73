// SPDX-License-Identifier: Apache-2.0
//
// Fused attention as a graph that cuDNN has kernels for.
//
// Forward, as training runs it: scores Q·Kᵀ times a scale, the causal mask, a softmax that leaves
// its log-sum-exp, the product with V. Backward from that log-sum-exp: the weights again, masked
// alike, then the gradients of V, Q and K. 16 bits in and out, sums in fp32.
// Tensors are (heads × sequences, 1, length, head size), dense. Source: cuDNN 9's graph interface.
// Errors: std::runtime_error.
#pragma once

#include <cstdint>
#include <vector>

#include "calibrate/measurement.h"
#include "cuda/cudnn_descriptor.h"

namespace orrery {

// The tensors of the graph and their numbers.
enum class AttentionTensor : std::int64_t { q = 1, k, v, o, stats, scale, hidden, dq, dk, dv, d_o };

struct AttentionGraph {
  std::vector<CudnnDescriptor> parts;  // tensors, modes and operations, which the graph refers to
  std::vector<AttentionTensor> data;   // tensors with data, in order
  std::vector<CudnnDescriptor> graph;  // one
};

// "" or why there is no graph of it.
const char* no_attention_graph(const MeasuredAttention& a);

// `handle` is null where there is no GPU: such a graph can be asked for kernels of a described one.
AttentionGraph attention_graph(const MeasuredAttention& a, cudnnHandle_t handle);

std::int64_t elements_of(AttentionTensor t, const MeasuredAttention& a);

}  // namespace orrery
