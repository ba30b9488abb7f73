// SPDX-License-Identifier: Apache-2.0
//
// How long a matrix product takes alone on a device.
//
// A product of m×k by k×n is m·n/(tile_m·tile_n) output tiles, worked off in waves of one tile a
// multiprocessor; a tile costs its FLOPs over k + k_fill at the rate large products attain. Waves
// are counted by expected_waves(), smooth and rising, so that more work never takes less time. The
// bytes of the three matrices over memory bandwidth bound it from below (roofline). A dimension
// that is no multiple of 64 or of 8 costs a factor of its own: that is divisibility, not size.
//
// Leaves out: the choice among tile shapes, split-k, L2 reuse, clocks that depend on the data.
// Sources: tile and wave quantisation as in "The Case for Co-Designing Model Architectures with
// Hardware" (arXiv:2401.14489); constants per device in configs/hardware/devices, each with its
// own.
#pragma once

#include <cstdint>

#include "core/number.h"
#include "core/precision.h"
#include "cost/paths.h"
#include "hardware/device.h"

namespace orrery {

// Products of one launch: `groups` of m×k·k×n each. Elements, not bytes.
struct ProductShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t groups = 1;
  bool grouped = false;   // groups of uneven height (experts), at the rate grouped kernels reach
  bool uneven_k = false;  // the uneven size is k, not m: the weight gradient of such groups
};

constexpr double elements(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) * static_cast<double>(b);
}

// 2mnk of every group.
template <Number R>
FlopsOf<R> product_flops(const ProductShape& p) {
  return FlopsOf<R>(count<R>(2, {"FLOPs of a multiply-add"}) * count<R>(p.groups, {"groups"}) *
                    count<R>(p.m, {"m"}) * count<R>(p.n, {"n"}) * count<R>(p.k, {"k"}));
}

// Waves that W waves' worth of tiles take: at least one, and half a wave more than W when W is
// large (the mean of rounding up). Rises with W everywhere.
template <Number R>
R expected_waves(R w) {
  return root(w * w + w + R(1.0));
}

// Time multiplier of dimensions that do not fit the tensor cores' granularity. How many rows meet
// an expert is chance and says nothing of granularity.
inline double misalignment(const ProductShape& p, const DeviceEfficiency& e) {
  const std::int64_t m = p.grouped && !p.uneven_k ? 0 : p.m;
  const std::int64_t k = p.grouped && p.uneven_k ? 0 : p.k;
  const std::int64_t any = m | p.n | k;
  if (any % 8 != 0) return e.misaligned_8;
  return any % 64 != 0 ? e.misaligned_64 : 1.0;
}

template <Number R>
FlopsPerSecondOf<R> attained_rate(const Device& d, Precision precision) {
  const std::size_t i = static_cast<std::size_t>(precision);
  const auto peak = lift<R>(d.peak[i], {kPeakPaths[i]});
  const R efficiency = lift<R>(d.efficiency.gemm[i], {kGemmPaths[i]});
  const R power = lift<R>(d.efficiency.power_factor, {"device.efficiency.power_factor"});
  return named(peak * (efficiency * power), {"rate large products attain"});
}

// Tiles of one group; a dimension below a tile still takes a whole one.
template <Number R>
R tiles(const ProductShape& p, const DeviceEfficiency& e) {
  const R rows = count<R>(p.m, {"m"}) / count<R>(e.tile_m, {"device.efficiency.tile.m"});
  const R cols = count<R>(p.n, {"n"}) / count<R>(e.tile_n, {"device.efficiency.tile.n"});
  // Rows of an expert are random: half a tile is lost on average where whole products lose none.
  const R high = p.grouped ? expected_waves(rows) : larger(rows, 1.0);
  return high * larger(cols, 1.0);
}

template <Number R>
SecondsOf<R> product_compute_time(const ProductShape& p, const Device& d, Precision precision) {
  const DeviceEfficiency& e = d.efficiency;
  const R sms = count<R>(d.multiprocessors, {"device.multiprocessors"});
  const R depth = count<R>(p.k, {"k"}) + lift<R>(e.k_fill, {"device.efficiency.k_fill"});
  const R tile = count<R>(e.tile_m, {"device.efficiency.tile.m"}) *
                 count<R>(e.tile_n, {"device.efficiency.tile.n"});
  const R waves = named(expected_waves(count<R>(p.groups, {"groups"}) * tiles<R>(p, e) / sms),
                        {"waves of tiles"});
  const FlopsOf<R> one_wave(R(2.0) * tile * depth * sms);
  SecondsOf<R> t = waves * one_wave / attained_rate<R>(d, precision);
  if (p.grouped) t = t / lift<R>(e.grouped_gemm, {"device.efficiency.grouped_gemm"});
  return t * lift<R>(misalignment(p, e), {"misaligned dimensions"});
}

template <Number R>
BytesPerSecondOf<R> attained_memory_bandwidth(const Device& d) {
  return named(lift<R>(d.memory_bandwidth, {"device.memory_bandwidth"}) *
                   lift<R>(d.efficiency.memory, {"device.efficiency.memory"}),
               {"memory bandwidth attained"});
}

template <Number R>
SecondsOf<R> memory_time(BytesOf<R> bytes, const Device& d) {
  return bytes / attained_memory_bandwidth<R>(d);
}

// Bytes the product reads and writes: inputs in its precision, the result as activations are
// stored.
template <Number R>
BytesOf<R> product_bytes(const ProductShape& p, Precision precision) {
  const double in = element_bytes(precision) * (elements(p.m, p.k) + elements(p.k, p.n));
  const double out = element_bytes(storage_precision(precision)) * elements(p.m, p.n);
  return lift<R>(Bytes(static_cast<double>(p.groups) * (in + out)), {"bytes of the matrices"});
}

template <Number R>
SecondsOf<R> product_time(const ProductShape& p, const Device& d, Precision precision) {
  const SecondsOf<R> compute =
      named(product_compute_time<R>(p, d, precision), {"compute time of the product"});
  const SecondsOf<R> memory = memory_time<R>(product_bytes<R>(p, precision), d);
  return larger(compute, memory) + lift<R>(d.efficiency.launch, {"device.efficiency.launch"});
}

}  // namespace orrery
