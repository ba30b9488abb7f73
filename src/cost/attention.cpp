// SPDX-License-Identifier: Apache-2.0
#include "cost/attention.h"

#include <cstddef>

#include "cost/memory_time.h"
#include "cost/paths.h"
#include "cost/product.h"
#include "cost/sustained.h"

namespace orrery {

double at_head_size(const ByHeadSize& f, double head_size) {
  for (std::size_t i = 1; i < f.size(); ++i) {
    const auto low = static_cast<double>(kAttentionHeadSizes[i - 1]);
    const auto high = static_cast<double>(kAttentionHeadSizes[i]);
    if (head_size <= low) return f[i - 1];
    if (head_size < high) return f[i - 1] + (f[i] - f[i - 1]) * (head_size - low) / (high - low);
  }
  return f.back();
}

template <Number R>
FlopsOf<R> attention_flops(const AttentionShape& a) {
  const R width = count<R>(a.head_dim, {"head size"}) + count<R>(a.value_dim, {"value head size"});
  return FlopsOf<R>(R(2.0) * count<R>(a.groups, {"heads × sequences"}) *
                    count<R>(a.queries, {"queries"}) * count<R>(a.keys, {"keys"}) * width *
                    lift<R>(a.pairs, {"fraction of pairs computed"}));
}

namespace {

// s½ of all calls of a ring together. Under a causal mask, balanced by the chunks i and
// 2·cp − 1 − i of a rank, the first call has the mask; after it half of the calls see half of a
// rank's keys, and half are of half of its queries. So 3/4 of the rows cost h more in each, where
// s½ counts twice what a row costs beside the half of the keys that it sees.
template <Number R>
R half_length(const AttentionShape& a, const AttentionCurve& curve, AttentionKernel kernel) {
  const R half = lift<R>(curve.half_length, {kHalfLengthPaths[kernel]});
  if (a.steps == 1 || curve.half_length <= kAttentionQueryTile) return half;
  const R of_row = (half - R(kAttentionQueryTile)) * R(0.5);
  const R share = lift<R>(is_causal(a) ? 2 * kRingCausalShare : 1, {"share of queries in a call"});
  return half + of_row * share * count<R>(a.steps - 1, {"calls of the ring after the first"});
}

}  // namespace

template <Number R>
SecondsOf<R> ring_merging_time(const AttentionShape& a, const Device& d, Precision precision,
                               double passes, bool backward) {
  if (a.steps == 1) return {};
  const auto width = static_cast<double>(backward ? a.head_dim : a.value_dim);
  const double statistics = backward ? 0 : kMergedStatisticBytes;
  const double bytes = width * (element_bytes(precision) + kMergedSumBytes) + statistics;
  const R rows = count<R>(a.groups, {"heads × sequences"}) * count<R>(a.queries, {"queries"}) *
                 lift<R>(is_causal(a) ? kRingCausalShare : 1, {"share of queries merged"});
  const BytesOf<R> merged(rows * lift<R>(bytes, {"bytes a row merged"}) *
                          lift<R>(passes, {"framework.kernels.pointwise_passes"}));
  const R merges = count<R>(a.steps - 1, {"merges of the ring"});
  return (memory_time<R>(merged, d) + lift<R>(d.efficiency.launch, {"device.efficiency.launch"})) *
         merges;
}

template <Number R>
SecondsOf<R> fused_attention_time(const AttentionShape& a, const Device& d, AttentionKernel kernel,
                                  Precision precision, bool backward) {
  const AttentionCurve& curve = curve_of(d, kernel);
  const double head_size = 0.5 * static_cast<double>(a.head_dim + a.value_dim);
  const double f = at_head_size(backward ? curve.backward : curve.forward, head_size);
  const R keys = count<R>(a.keys, {"keys"});
  const R half = half_length<R>(a, curve, kernel);
  const R power = lift<R>(d.efficiency.power_factor, {"device.efficiency.power_factor"});
  const R efficiency =
      sustained(lift<R>(f, {kAttentionPaths[kernel]}) * (keys / (keys + half)) * power, d);
  const auto peak = lift<R>(peak_of(d, precision), {kPeakPaths[precision]});
  const R products =
      backward ? lift<R>(kFusedBackwardProducts, {"backward products over forward"}) : R(1.0);
  const SecondsOf<R> launch = lift<R>(d.efficiency.launch, {"device.efficiency.launch"});
  const SecondsOf<R> launches =
      a.steps == 1 ? launch : launch * count<R>(a.steps, {"steps of the ring"});
  return attention_flops<R>(a) * products / (peak * efficiency) + launches;
}

template <Number R>
FlopsPerSecondOf<R> unfused_rate(const Device& d, Precision precision) {
  return lift<R>(peak_of(d, precision), {kPeakPaths[precision]}) *
         sustained(
             lift<R>(d.efficiency.unfused_attention, {"device.efficiency.attention.unfused"}) *
                 lift<R>(d.efficiency.power_factor, {"device.efficiency.power_factor"}),
             d);
}

template <Number R>
SecondsOf<R> unfused_product_time(const AttentionShape& a, std::int64_t width, const Device& d,
                                  Precision precision) {
  const ProductShape p{a.queries, a.keys, width, a.groups, false};
  const auto rate = unfused_rate<R>(d, precision);
  const bool odd_head = width % 8 != 0;
  const double alignment = odd_head ? d.efficiency.misaligned_head : misalignment(p, d.efficiency);
  const SecondsOf<R> compute =
      product_flops<R>(p) / rate * lift<R>(alignment, {"misaligned dimensions"});
  const SecondsOf<R> memory = memory_time<R>(product_bytes<R>(p, precision), d);
  return larger(compute, memory) + lift<R>(d.efficiency.launch, {"device.efficiency.launch"});
}

template FlopsPerSecondOf<double> unfused_rate(const Device&, Precision);
template FlopsPerSecondOf<Traced> unfused_rate(const Device&, Precision);
template FlopsOf<double> attention_flops(const AttentionShape&);
template FlopsOf<Traced> attention_flops(const AttentionShape&);
template SecondsOf<double> fused_attention_time(const AttentionShape&, const Device&,
                                                AttentionKernel, Precision, bool);
template SecondsOf<Traced> fused_attention_time(const AttentionShape&, const Device&,
                                                AttentionKernel, Precision, bool);
template SecondsOf<double> ring_merging_time(const AttentionShape&, const Device&, Precision,
                                             double, bool);
template SecondsOf<Traced> ring_merging_time(const AttentionShape&, const Device&, Precision,
                                             double, bool);
template SecondsOf<double> unfused_product_time(const AttentionShape&, std::int64_t, const Device&,
                                                Precision);
template SecondsOf<Traced> unfused_product_time(const AttentionShape&, std::int64_t, const Device&,
                                                Precision);

}  // namespace orrery
