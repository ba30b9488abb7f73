// SPDX-License-Identifier: Apache-2.0
//
// What the tensors of one block ask of memory as it goes backward, read off its sharded list: the
// gradients at work, what the weight gradients wait with, the logits; and how far a recomputed
// forward must run for all that was saved to be back.
//
// A product saves its input, so a recomputed forward may stop before the last one. Leaves out: what
// a block keeps between its passes (kept_bytes(), parallel/shard.h). Units: bytes of one rank, one
// micro batch; `element` is bytes of an element. Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>

#include "parallel/shard.h"

namespace orrery {

// The most that a block's operators write and read back at once in backward: the gradients of one
// operator's output and input.
inline Bytes transient_bytes(const ShardedBlock& block, double element) {
  double most = 0;
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const ShardedOperator& op = block.operators[i];
    if (op.kind == OpKind::scores) {  // gradients of the probabilities and of the scores
      most = std::max(most, 2 * static_cast<double>(op.groups) * elements(op.rows, op.cols));
    }
    if (op.kind != OpKind::product && op.kind != OpKind::grouped_product) continue;
    // The gradient of the logits is in the logits' line.
    const double output = op.name == OpName::head ? 0 : elements(op.rows, op.cols);
    most = std::max(most, output + elements(op.rows, op.inner));
  }
  return Bytes(most * element);
}

// What the weight gradients need: the input of a product, which it saved or recomputed, and the
// gradient of its output.
inline Bytes weight_gradient_bytes(const ShardedBlock& block, double element) {
  Bytes sum{};
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const ShardedOperator& op = block.operators[i];
    if (!op.has_weight || op.kind == OpKind::pointwise) continue;
    sum += kept_bytes(op, 0) + Bytes(elements(op.rows, op.cols) * element);
  }
  return sum;
}

inline Bytes loss_bytes(const ShardedBlock& block) {
  Bytes sum{};
  for (std::uint8_t i = 0; i < block.count; ++i) {
    if (block.operators[i].name == OpName::loss) sum += kept_bytes(block.operators[i], 0);
  }
  return sum;
}

// The head of a multi-token prediction module is not recomputed.
inline std::uint8_t recomputable_end(const ShardedBlock& block) {
  std::uint8_t end = 0;
  while (end < block.count && block.operators[end].name != OpName::final_norm) ++end;
  return end;
}

// One past the last operator that must run again for all saved tensors to be back: a product saves
// its input, so the last one itself need not.
inline std::uint8_t last_needed(const ShardedBlock& block) {
  std::uint8_t end = recomputable_end(block);
  while (end > 0 && block.operators[end - 1].kept_count == 0) --end;
  const bool product = end > 0 && block.operators[end - 1].has_weight;
  return product ? static_cast<std::uint8_t>(end - 1) : end;
}

// Modules that let tensors go which operators after the i-th one saved.
inline ModuleMask dropped_after(const ShardedBlock& block, std::uint8_t i) {
  unsigned mask = 0;
  for (std::uint8_t j = static_cast<std::uint8_t>(i + 1); j < block.count; ++j) {
    const ShardedOperator& op = block.operators[j];
    for (std::uint8_t k = 0; k < op.kept_count; ++k) mask |= op.kept[k].dropped_by;
  }
  return static_cast<ModuleMask>(mask);
}

}  // namespace orrery
