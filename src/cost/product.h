// SPDX-License-Identifier: Apache-2.0
//
// The time of a matrix product alone on a device.
//
// A product of m×k by k×n has m·n/(tile_m·tile_n) output tiles, computed in waves of one tile a
// multiprocessor; a tile costs its FLOPs over k + k_fill at the rate of large products. Waves are a
// smooth, rising function of the tiles, so that more work never takes less time. The fastest tile
// shape of the library counts: a smaller one fills the multiprocessors better and loads more for
// each multiply-add. The bytes of the three matrices over memory bandwidth bound it from below
// (roofline). A dimension along which a matrix is contiguous, no multiple of 64 or of
// 8, costs a factor of its own: that is divisibility, not size.
//
// Leaves out: products split along k (tried: it helps no published run), L2 reuse, clocks that
// depend on the data. Sources: tile and wave quantisation as in "The Case for Co-Designing Model
// Architectures with Hardware" (arXiv:2401.14489); constants per device in
// configs/hardware/devices, each with its own. Errors: none.
#pragma once

#include "core/number.h"
#include "core/precision.h"
#include "cost/shapes.h"
#include "hardware/device.h"

namespace orrery {

// 2mnk of every group.
template <Number R>
FlopsOf<R> product_flops(const ProductShape& p);

// Time multiplier of dimensions that do not fit the tensor cores' granularity, of those along which
// a matrix is contiguous (cuBLAS, "Tensor Core Usage": op(A)'s, op(B)'s and C's leading dimension).
// Tokens are rows of every matrix that holds them, and any number of them is aligned.
double misalignment(const ProductShape& p, const DeviceEfficiency& e);

// Part of a product's output, in elements.
struct OutputTile {
  double m = 0;
  double n = 0;
};

// The fastest of the tile shapes: the device's own, and that halved once or twice along its longer
// side. If the device has no cost of loads (`tile_load` 0), its own is the only one.
OutputTile best_tile(const ProductShape& p, const Device& d, Precision precision);

// Bytes that the product reads and writes: inputs in its precision, the result in that of
// activations.
template <Number R>
BytesOf<R> product_bytes(const ProductShape& p, Precision precision);

template <Number R>
SecondsOf<R> product_time(const ProductShape& p, const Device& d, Precision precision);

}  // namespace orrery
