// SPDX-License-Identifier: Apache-2.0
#include "cost/product.h"

#include <algorithm>
#include <cstddef>

#include "cost/memory_time.h"
#include "cost/paths.h"
#include "cost/sustained.h"

namespace orrery {
namespace {

// Waves that W waves' worth of tiles take: at least one, and half a wave more than W when W is
// large (the mean of rounding up). Rises with W everywhere.
template <Number R>
R expected_waves(R w) {
  return root(w * w + w + R(1.0));
}

template <Number R>
FlopsPerSecondOf<R> attained_rate(const Device& d, Precision precision) {
  const auto peak = lift<R>(peak_of(d, precision), {kPeakPaths[precision]});
  const R efficiency = lift<R>(d.efficiency.gemm[precision], {kGemmPaths[precision]});
  const R power = lift<R>(d.efficiency.power_factor, {"device.efficiency.power_factor"});
  return named(peak * sustained(efficiency * power, d), {"rate large products attain"});
}

constexpr int kTileHalvings = 2;  // of the device's tile: 128 × 256, 128 × 128, 64 × 128

constexpr OutputTile largest_tile(const DeviceEfficiency& e) {
  return {static_cast<double>(e.tile_m), static_cast<double>(e.tile_n)};
}

constexpr OutputTile halved(const OutputTile& t) {
  return t.n >= t.m ? OutputTile{t.m, t.n / 2} : OutputTile{t.m / 2, t.n};
}

// For tm·tn multiply-adds a tile loads tm + tn elements: its time over that of multiplying alone.
template <Number R>
R with_loads(const OutputTile& t, const DeviceEfficiency& e) {
  return R(1.0) + lift<R>(e.tile_load, {"device.efficiency.tile.load"}) *
                      lift<R>(1 / t.m + 1 / t.n, {"elements loaded for a multiply-add"});
}

// Tiles of one group; a dimension below a tile still takes a whole one.
template <Number R>
R tiles(const ProductShape& p, const OutputTile& t) {
  const R rows = count<R>(p.m, {"m"}) / lift<R>(t.m, {"rows of the tile chosen"});
  const R cols = count<R>(p.n, {"n"}) / lift<R>(t.n, {"columns of the tile chosen"});
  // Rows of an expert are random: half a tile is lost on average where whole products lose none.
  const R high = p.grouped ? expected_waves(rows) : larger(rows, 1.0);
  return high * larger(cols, 1.0);
}

// At the rate large products attain, which is the rate of the largest tile.
template <Number R>
SecondsOf<R> tiled_time(const ProductShape& p, const Device& d, Precision precision,
                        const OutputTile& t) {
  const DeviceEfficiency& e = d.efficiency;
  const R sms = count<R>(d.multiprocessors, {"device.multiprocessors"});
  const R depth = count<R>(p.k, {"k"}) + lift<R>(e.k_fill, {"device.efficiency.k_fill"});
  const R area =
      lift<R>(t.m, {"rows of the tile chosen"}) * lift<R>(t.n, {"columns of the tile chosen"});
  const R waves = named(expected_waves(count<R>(p.groups, {"groups"}) * tiles<R>(p, t) / sms),
                        {"waves of tiles"});
  const FlopsOf<R> one_wave(R(2.0) * area * depth * sms);
  const SecondsOf<R> time = waves * one_wave / attained_rate<R>(d, precision);
  if (e.tile_load == 0) return time;
  return time * (with_loads<R>(t, e) / with_loads<R>(largest_tile(e), e));
}

}  // namespace

template <Number R>
FlopsOf<R> product_flops(const ProductShape& p) {
  return FlopsOf<R>(count<R>(2, {"FLOPs of a multiply-add"}) * count<R>(p.groups, {"groups"}) *
                    count<R>(p.m, {"m"}) * count<R>(p.n, {"n"}) * count<R>(p.k, {"k"}));
}

double misalignment(const ProductShape& p, const DeviceEfficiency& e) {
  const std::int64_t any = p.n | (p.weight_gradient ? p.m : p.k);
  if (any % 8 != 0) return e.misaligned_8;
  return any % 64 != 0 ? e.misaligned_64 : 1.0;
}

OutputTile best_tile(const ProductShape& p, const Device& d, Precision precision) {
  OutputTile tile = largest_tile(d.efficiency);
  OutputTile best = tile;
  if (d.efficiency.tile_load == 0) return best;
  Seconds least = tiled_time<double>(p, d, precision, tile);
  for (int i = 0; i < kTileHalvings; ++i) {
    tile = halved(tile);
    const Seconds t = tiled_time<double>(p, d, precision, tile);
    if (t < least) best = tile;
    least = std::min(least, t);
  }
  return best;
}

namespace {

template <Number R>
SecondsOf<R> product_compute_time(const ProductShape& p, const Device& d, Precision precision) {
  const DeviceEfficiency& e = d.efficiency;
  SecondsOf<R> t = tiled_time<R>(p, d, precision, best_tile(p, d, precision));
  if (p.grouped) t = t / lift<R>(e.grouped_gemm, {"device.efficiency.grouped_gemm"});
  return t * lift<R>(misalignment(p, e), {"misaligned dimensions"});
}

}  // namespace

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

template FlopsOf<double> product_flops(const ProductShape&);
template FlopsOf<Traced> product_flops(const ProductShape&);
template BytesOf<double> product_bytes(const ProductShape&, Precision);
template BytesOf<Traced> product_bytes(const ProductShape&, Precision);
template SecondsOf<double> product_time(const ProductShape&, const Device&, Precision);
template SecondsOf<Traced> product_time(const ProductShape&, const Device&, Precision);

}  // namespace orrery
