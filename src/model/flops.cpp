// SPDX-License-Identifier: Apache-2.0
#include "model/flops.h"

#include <algorithm>

#include "model/operators.h"

namespace orrery {
namespace {

Flops forward_flops(const Block& block, bool causal) {
  Flops sum{};
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const Operator& op = block.operators[i];
    const double pairs = causal ? op.masked_pairs : op.megatron_pairs;
    sum += forward_flops(op.kind, sizes_of(op, AxisDegrees{}), pairs);
  }
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
  Flops sum = forward_flops(model.head, causal);
  for (std::int64_t i = 0; i < a.layers; ++i) {
    sum += forward_flops(model.layers[layer_type(a, i)], causal);
  }
  sum += static_cast<double>(a.mtp_layers) * forward_flops(model.mtp, causal);
  return sum;
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
