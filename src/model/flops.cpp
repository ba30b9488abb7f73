// SPDX-License-Identifier: Apache-2.0
#include "model/flops.h"

#include <algorithm>

namespace orrery {
namespace {

double extent(const Extent& e) {
  return static_cast<double>(e.units) * static_cast<double>(e.unit);
}

// 2mnk of every product; attention by the pairs that count.
double forward_flops(const Operator& op, bool causal) {
  const double pairs = causal ? op.masked_pairs : op.megatron_pairs;
  switch (op.kind) {
    case OpKind::product:
    case OpKind::grouped_product:
      return 2 * extent(op.rows) * extent(op.inner) * (extent(op.cols) + extent(op.cols2));
    case OpKind::fused_attention:
      return 2 * extent(op.groups) * extent(op.rows) * extent(op.cols) *
             (extent(op.inner) + extent(op.cols2)) * pairs;
    case OpKind::scores:
      return 2 * extent(op.groups) * extent(op.rows) * extent(op.cols) * extent(op.inner) * pairs;
    case OpKind::values:
      return 2 * extent(op.groups) * extent(op.rows) * extent(op.cols) * extent(op.cols2) * pairs;
    case OpKind::pointwise:
    case OpKind::lookup:
      return 0;
  }
  return 0;
}

double forward_flops(const Block& block, bool causal) {
  double sum = 0;
  for (std::uint8_t i = 0; i < block.count; ++i) sum += forward_flops(block.operators[i], causal);
  return sum;
}

// Head widths of queries and values of all heads and layers: L·a·d of PaLM's formula, mean of both.
double attention_width(const Architecture& a) {
  return static_cast<double>((a.layers + a.mtp_layers) * a.heads) *
         static_cast<double>(a.head_dim + value_head_dim(a)) / 2;
}

}  // namespace

Flops forward_flops(const Architecture& padded, std::int64_t sequence, bool causal) {
  Architecture a = padded;
  // A capacity above the mean pads, and padding is not counted; one below it drops tokens.
  a.moe.capacity_factor = std::min(1.0, a.moe.capacity_factor);
  ListOptions options;
  options.sequence = sequence;
  const ModelOperators model = model_operators(a, options);
  double sum = forward_flops(model.head, causal);
  for (std::int64_t i = 0; i < a.layers; ++i) {
    sum += forward_flops(model.layers[layer_type(a, i)], causal);
  }
  sum += static_cast<double>(a.mtp_layers) * forward_flops(model.mtp, causal);
  return Flops(sum);
}

Flops model_flops(const Architecture& a, FlopsConvention convention, std::int64_t sequence,
                  std::int64_t global_batch) {
  const double sequences = static_cast<double>(global_batch);
  const double tokens = sequences * static_cast<double>(sequence);
  if (convention == FlopsConvention::megatron || convention == FlopsConvention::causal) {
    const bool causal = convention == FlopsConvention::causal;
    return forward_flops(a, sequence, causal) * (3 * sequences);
  }
  const ParameterCount n = parameter_count(a, sequence);
  double per_token = 6 * static_cast<double>(n.active + n.active_mtp);
  if (convention == FlopsConvention::palm) {
    per_token += 12 * attention_width(a) * static_cast<double>(sequence);
  }
  return Flops(per_token * tokens);
}

}  // namespace orrery
