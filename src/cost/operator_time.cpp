// SPDX-License-Identifier: Apache-2.0
#include "cost/operator_time.h"

#include <algorithm>

#include "core/divide.h"
#include "cost/attention.h"
#include "cost/cached_time.h"
#include "cost/memory_time.h"
#include "cost/product.h"
#include "parallel/shard.h"

namespace orrery {
namespace {

AttentionShape attention_shape(const ShardedOperator& op) {
  return {op.groups, op.rows, op.cols, op.inner, op.value_width, op.pairs, op.ring};
}

ProductShape padded(ProductShape p, std::int64_t least) {
  for (std::int64_t* size : {&p.m, &p.n, &p.k}) *size = std::max(*size, least);
  return p;
}

// A narrow product fills a part of a tile of 64, or of the 8 numbers that tensor cores take at
// once, and takes no longer than one that fills all of it.
template <Number R>
SecondsOf<R> narrow_time(const ProductShape& p, const Device& d, Precision precision) {
  ProductShape best = p;
  for (const std::int64_t least : {8, 64}) {
    const ProductShape wide = padded(p, least);
    const Seconds now = product_time<double>(best, d, precision);
    if (product_time<double>(wide, d, precision) < now) best = wide;
  }
  return product_time<R>(best, d, precision);
}

// Forward rows×inner·inner×cols; its input's gradient rows×cols·cols×inner; its weight's
// inner×rows·rows×cols.
template <Number R>
OperatorTime<R> product_operator_time(const ShardedOperator& op, const Device& d,
                                      const KernelChoice& k) {
  const bool linear = op.role == PrecisionRole::linear;
  const Precision precision = linear ? k.linear : k.wide;
  const bool grouped = kOpFacts[op.kind].grouped;
  const std::int64_t groups = grouped ? op.groups : 1;
  const std::int64_t rows = grouped ? divided_up(op.rows, groups) : op.rows;
  const bool adapter = op.name == OpName::adapter_down || op.name == OpName::adapter_up;
  const auto time = [&](const ProductShape& p) {
    const SecondsOf<R> alone =
        adapter ? narrow_time<R>(p, d, precision) : product_time<R>(p, d, precision);
    SecondsOf<R> t = alone;
    if (linear && k.linear_rate != 1)
      t = t / lift<R>(k.linear_rate, {"framework.kernels.linear_rate"});
    if (grouped && k.grouped_rate != 1) {
      t = t / lift<R>(k.grouped_rate, {"framework.kernels.grouped_rate"});
    }
    return t;
  };
  const auto weight = [&] {
    const bool frozen = op.backward != Backward::whole;
    return frozen ? SecondsOf<R>{} : time({op.inner, op.cols, rows, groups, grouped, true});
  };
  return {time({rows, op.cols, op.inner, groups, grouped}),
          time({rows, op.inner, op.cols, groups, grouped}), weight()};
}

template <Number R>
BytesOf<R> pointwise_bytes(const ShardedOperator& op, double bytes_per_element, double passes) {
  const R n = count<R>(op.rows, {"rows"}) * count<R>(op.cols, {"columns"});
  return BytesOf<R>(n * lift<R>(bytes_per_element, {"bytes an element"}) *
                    lift<R>(passes, {"framework.kernels.pointwise_passes"}));
}

// Forward reads what the operator before it wrote, and a look-up reads a table. The first kernel of
// backward reads what forward saved, each after it in a chain what the one before it wrote. Leaves
// out: saved tensors that later kernels of backward read.
template <Number R>
OperatorTime<R> pointwise_time(const ShardedOperator& op, const Device& d, double passes) {
  OperatorTime<R> t;
  const SecondsOf<R> launch = lift<R>(d.efficiency.launch, {"device.efficiency.launch"});
  if (op.forward_bytes > 0) {
    const auto bytes = pointwise_bytes<R>(op, op.forward_bytes, passes);
    const double kernels = std::max<double>(op.kernels.forward, 1);
    t.forward =
        (op.kind == OpKind::lookup ? memory_time<R>(bytes, d) : cached_time<R>(bytes, kernels, d)) +
        launch;
  }
  if (op.backward_bytes > 0) {
    const auto bytes = pointwise_bytes<R>(op, op.backward_bytes, passes);
    const double after = std::max<double>(op.kernels.backward, 1) - 1;
    const R first = R(1.0) / lift<R>(after + 1, {"kernels of the chain"});
    const SecondsOf<R> saved = memory_time<R>(bytes * first, d);
    t.backward_input =
        (after > 0 ? saved + cached_time<R>(bytes * (R(1.0) - first), after, d) : saved) + launch;
  }
  return t;
}

template <Number R>
OperatorTime<R> fused_time(const AttentionShape& a, const Device& d, const KernelChoice& k) {
  const auto pass = [&](bool backward) {
    const SecondsOf<R> calls = fused_attention_time<R>(a, d, k.attention, k.wide, backward);
    if (a.steps == 1) return calls;
    return calls + ring_merging_time<R>(a, d, k.wide, k.pointwise_passes, backward);
  };
  return {pass(false), pass(true), {}};
}

// Unfused attention: backward is two products as large, a gradient of each factor.
template <Number R>
OperatorTime<R> unfused_time(const AttentionShape& a, std::int64_t width, const Device& d,
                             const KernelChoice& k) {
  const SecondsOf<R> forward = unfused_product_time<R>(a, width, d, k.wide);
  return {forward, forward * R(2.0), {}};
}

// A recurrence: narrow products of a chunk and passes over the state of each, so its products run
// at the rate of unfused attention's, and never faster than its traffic.
template <Number R>
SecondsOf<R> recurrence_pass(const ShardedOperator& op, double work, double bytes_an_element,
                             const Device& d, const KernelChoice& k) {
  const R elements = count<R>(op.groups, {"heads"}) * count<R>(op.rows, {"tokens"}) *
                     count<R>(op.cols, {"width of a head"});
  const FlopsOf<R> flops(R(2.0) * elements * count<R>(op.inner, {"state"}) *
                         lift<R>(op.pairs * work, {"products a token and state"}));
  const BytesOf<R> bytes(elements * lift<R>(bytes_an_element, {"bytes an element"}) *
                         lift<R>(k.pointwise_passes, {"framework.kernels.pointwise_passes"}));
  return larger(flops / unfused_rate<R>(d, k.wide), memory_time<R>(bytes, d)) +
         lift<R>(d.efficiency.launch, {"device.efficiency.launch"});
}

template <Number R>
OperatorTime<R> recurrence_time(const ShardedOperator& op, const Device& d, const KernelChoice& k) {
  // Times forward's products, as states and chunks are computed again: 2.6 to 2.7 in Gated
  // DeltaNet's kernels (arXiv:2412.06464), 2.3 to 2.6 in SSD's (arXiv:2405.21060), counted.
  constexpr double kBackward = 2.6;
  return {recurrence_pass<R>(op, 1, op.forward_bytes, d, k),
          recurrence_pass<R>(op, kBackward, op.backward_bytes, d, k),
          {}};
}

template <Number R>
OperatorTime<R> whole_time(const ShardedOperator& op, const Device& d, const KernelChoice& k) {
  switch (op.kind) {
    case OpKind::product:
    case OpKind::grouped_product:
      return product_operator_time<R>(op, d, k);
    case OpKind::fused_attention:
      return fused_time<R>(attention_shape(op), d, k);
    case OpKind::scores:
      return unfused_time<R>(attention_shape(op), op.inner, d, k);
    case OpKind::values:
      return unfused_time<R>(attention_shape(op), op.value_width, d, k);
    case OpKind::recurrence:
      return recurrence_time<R>(op, d, k);
    case OpKind::pointwise:
    case OpKind::lookup:
      return pointwise_time<R>(op, d, k.pointwise_passes);
  }
  return {};
}

}  // namespace

template <Number R>
OperatorTime<R> operator_time(const ShardedOperator& op, const Device& d, const KernelChoice& k) {
  OperatorTime<R> t = whole_time<R>(op, d, k);
  if (op.backward >= Backward::none) t.backward_input = t.backward_weight = {};
  return t;
}

template OperatorTime<double> operator_time(const ShardedOperator&, const Device&,
                                            const KernelChoice&);
template OperatorTime<Traced> operator_time(const ShardedOperator&, const Device&,
                                            const KernelChoice&);

}  // namespace orrery
