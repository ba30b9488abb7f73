// SPDX-License-Identifier: Apache-2.0
//
// Chains of elementwise operators that a framework runs as one kernel, or operator by operator as
// eager PyTorch does.
//
// Models the bytes an element moves, what it keeps for backward besides the fused kernel, and the
// kernels launched, counted from the operators of transformers' modeling_llama.py and autograd's
// rules for them (casts to fp32 and back where activations are stored in 16 bits). Leaves out
// caches: a chain's intermediate is written to memory and read back. Units: bytes an element of the
// chain's input; counts of kernels. Errors: none.
#pragma once

#include <cstdint>

#include "core/enum_names.h"

namespace orrery {

// rms_norm: to fp32, square, mean, scale, back, times the weight. rotary: two products, a negated
// half, a concatenation, a sum. gated_activation: the activation, then the product with the other
// half. softmax: of unfused attention: scale, mask, softmax in fp32, back. head_copies: queries,
// keys and values copied into a layout of their own before attention and after it. repeated_keys:
// keys and values of grouped queries copied for every head, but for FlashAttention, which takes
// them as they are. modulation: a scale and a shift, each a kernel; a gate apart from the sum.
enum class Chain : std::uint8_t {
  rms_norm,
  rotary,
  gated_activation,
  softmax,
  head_copies,
  repeated_keys,
  modulation,
};
constexpr EnumNames<Chain> names_of(Chain) {
  return {"rms_norm",    "rotary",        "gated_activation", "softmax",
          "head_copies", "repeated_keys", "modulation"};
}

using ChainMask = std::uint8_t;

constexpr ChainMask mask_of(Chain c) {
  return static_cast<ChainMask>(1U << static_cast<unsigned>(c));
}

struct Kernels {
  std::uint8_t forward = 0;
  std::uint8_t backward = 0;
};

struct ChainCost {
  double forward_bytes = 0;
  double backward_bytes = 0;
  double kept_bytes = 0;  // besides what the fused kernel keeps
  Kernels kernels{};
};

// `e`: bytes of an element as activations are stored. The sums name their terms in the order of the
// operators.
constexpr ChainCost eager_rms_norm(double e) {
  constexpr double w = 4;  // fp32
  const bool casts = e < w;
  const double there_and_back = casts ? 2 * (e + w) : 0;
  const double forward = there_and_back + 2 * w + w + 2 * w + 2 * e;
  const double backward = 6 * e + there_and_back + 2 * w + 4 * w + 2 * w + 3 * w;
  const std::uint8_t cast_kernels = casts ? 2 : 0;
  return {
      forward,
      backward,
      casts ? w : 0,
      {static_cast<std::uint8_t>(6 + cast_kernels), static_cast<std::uint8_t>(15 + cast_kernels)}};
}

// Queries and keys: twice the kernels.
constexpr ChainCost eager_rotary(double e) {
  const double passes = 2 + 1 + 2 + 2 + 3;
  return {passes * e, passes * e, 0, {10, 18}};
}

constexpr ChainCost eager_gated_activation(double e) { return {5 * e, 9 * e, e, {2, 3}}; }

constexpr ChainCost eager_softmax(double e) {
  constexpr double w = 4;
  const bool casts = e < w;
  return {4 * e + (casts ? 2 * (e + w) : 2 * w),
          2 * e + 3 * w + (casts ? 2 * (e + w) : 0),
          casts ? w : 0,
          {4, 4}};
}

}  // namespace orrery
