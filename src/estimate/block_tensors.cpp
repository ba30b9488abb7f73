// SPDX-License-Identifier: Apache-2.0
#include "estimate/block_tensors.h"

#include <algorithm>

#include "cost/quantise.h"
#include "cost/shapes.h"
#include "parallel/shard.h"

namespace orrery {

namespace {

// The weight at work in 16 bits, where weights are packed.
Bytes unpacked_bytes(const ShardedBlock& block) {
  Bytes most{};
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const ShardedOperator& op = block.operators[i];
    if (op.weight != WeightUse::packed) continue;
    most = std::max(most, Bytes(static_cast<double>(op.parameters) * kUnpackedBytes));
  }
  return most;
}

}  // namespace

Bytes transient_bytes(const ShardedBlock& block, double element, bool reads_packed) {
  const auto plain = [](std::int64_t n, const char*) { return static_cast<double>(n); };
  double most = 0;
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const ShardedOperator& op = block.operators[i];
    const OpFacts& kind = kOpFacts[op.kind];
    most = std::max(
        most, kind.score_gradients * static_cast<double>(op.groups) * elements(op.rows, op.cols));
    if (has_product_gradients(op)) most = std::max(most, product_gradients<double>(op, plain));
  }
  return Bytes(most * element) + (reads_packed ? Bytes() : unpacked_bytes(block));
}

Bytes weight_gradient_bytes(const ShardedBlock& block, double element, double linear) {
  Bytes sum{};
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const ShardedOperator& op = block.operators[i];
    if (!op.has_weight || !kOpFacts[op.kind].weight_matrix) continue;
    if (op.backward != Backward::whole) continue;
    const double bytes = op.role == PrecisionRole::linear ? linear : element;
    sum += kept_bytes(op, 0) + Bytes(elements(op.rows, op.cols) * bytes);
  }
  return sum;
}

Bytes loss_bytes(const ShardedBlock& block) {
  Bytes sum{};
  for (std::uint8_t i = 0; i < block.count; ++i) {
    if (block.operators[i].name == OpName::loss) sum += kept_bytes(block.operators[i], 0);
  }
  return sum;
}

std::uint8_t recomputable_end(const ShardedBlock& block) {
  std::uint8_t end = 0;
  while (end < block.count && block.operators[end].name != OpName::final_norm) ++end;
  return end;
}

std::uint8_t last_needed(const ShardedBlock& block) {
  std::uint8_t end = recomputable_end(block);
  while (end > 0 && block.operators[end - 1].kept_count == 0) --end;
  const bool product = end > 0 && block.operators[end - 1].has_weight;
  return product ? static_cast<std::uint8_t>(end - 1) : end;
}

DroppedAfter dropped_after(const ShardedBlock& block) {
  DroppedAfter after{};
  unsigned mask = 0;
  for (std::size_t i = block.count; i-- > 0;) {
    after[i] = static_cast<ModuleMask>(mask);
    const ShardedOperator& op = block.operators[i];
    for (std::uint8_t k = 0; k < op.kept_count; ++k) mask |= op.kept[k].dropped_by;
  }
  return after;
}

}  // namespace orrery
