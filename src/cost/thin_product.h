// SPDX-License-Identifier: Apache-2.0
//
// The time of a product of few rows, as a generator of text makes for each token: its weights are
// read once for the batch, and its work is spread over all multiprocessors along every dimension
// (split-K and stream-K kernels, arXiv:2301.03598), so that tiles and waves of product.h do not
// count. Rows fill tensor-core tiles of 16 (mma.m16n8k16, PTX ISA 9.7.13). Errors: none.
//
// Models the larger of reading and computing; leaves out the launch (the caller's), L2 reuse.
#pragma once

#include "core/precision.h"
#include "cost/shapes.h"
#include "hardware/device.h"

namespace orrery {

// Shares of the memory bandwidth and of the rate of large products that the kernels reach.
struct ThinRates {
  double memory = 1;
  double products = 1;
};

struct ThinTime {
  Seconds reading{};
  Seconds computing{};
};

// `weights`: the format they are stored in; inputs and results are of 16 bits.
ThinTime thin_product_time(const ProductShape& p, const Device& d, Precision weights,
                           const ThinRates& rates);

// The format that the device multiplies in: its own 16 bits where it has none of the weights'.
Precision multiplied_in(const Device& d, Precision weights);

// The rate that large products attain on the device.
FlopsPerSecond large_product_rate(const Device& d, Precision precision);

}  // namespace orrery
