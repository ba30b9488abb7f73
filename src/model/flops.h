// SPDX-License-Identifier: Apache-2.0
//
// Model FLOPs of one step, the numerator of MFU. There are four conventions; every MFU names its
// own.
//
//   megatron  products and attention of the operator list, all s² pairs, logits included, ×3 for
//             forward and backward: 72BLsh²(1 + s/6h + V/12hL) for a GPT (arXiv:2205.05198, eq. 3,
//             and arXiv:2104.04473, appendix)
//   causal    the same, but only the pairs that the causal mask keeps
//   palm      6N + 12·L·a·d·s a token (PaLM, arXiv:2204.02311, appendix B), N active parameters, L
//             the layers that attend
//   6n        6N a token
//
// Tokens of packed documents attend within their document: s² and s are those of each.
// Recomputation never counts. Embedding look-ups count only through N.
#pragma once

#include <cstdint>

#include "core/enum_names.h"
#include "model/documents.h"
#include "orrery/quantity.h"

namespace orrery {

struct Adapter;
struct Architecture;
struct Buckets;

enum class FlopsConvention : std::uint8_t { megatron, palm, six_n, causal };
constexpr EnumNames<FlopsConvention> names_of(FlopsConvention) {
  return {"megatron", "palm", "6n", "causal"};
}

// The work of a step: `global_batch` sequences of `sequence` tokens. With an adapter, gradients of
// frozen weights are no part of the FLOPs: in place of the common 6N, 4N a token of frozen weights
// and 6N of those that train, as NVIDIA counts fine-tuning (Megatron-Bridge). Below the lowest part
// that trains and in the encoder of images nothing runs backward: 2N, and 4·L·a·d·s.
struct CountedStep {
  std::int64_t sequence = 0;
  std::int64_t global_batch = 1;
  const Adapter* adapter = nullptr;
  SequenceLengths lengths;           // of packed documents
  const Buckets* buckets = nullptr;  // of samples; nothing: all are of `sequence`
};

Flops model_flops(const Architecture& a, FlopsConvention convention, const CountedStep& step);

// Forward of the unsharded list, one sequence; `causal`: pairs the mask hides do not count.
Flops forward_flops(const Architecture& a, std::int64_t sequence, bool causal);

}  // namespace orrery
