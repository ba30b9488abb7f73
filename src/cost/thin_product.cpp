// SPDX-License-Identifier: Apache-2.0
#include "cost/thin_product.h"

#include "core/divide.h"
#include "model/operators.h"

namespace orrery {
namespace {

constexpr std::int64_t kRowsOfTile = 16;
constexpr double kActivationBytes = 2;

Bytes bytes_read(const ProductShape& p, Precision weights) {
  const double matrix = element_bytes(weights) * elements(p.k, p.n);
  const double rows = kActivationBytes * (elements(p.m, p.k) + elements(p.m, p.n));
  return Bytes(static_cast<double>(p.groups) * (matrix + rows));
}

// Sums over every group.
Flops flops_of(const OperatorSizes& s) {
  return forward_flops(OpKind::product, s, 1) * static_cast<double>(s.groups);
}

}  // namespace

Precision multiplied_in(const Device& d, Precision weights) {
  return has_precision(d, weights) ? weights : storage_precision(weights);
}

FlopsPerSecond large_product_rate(const Device& d, Precision precision) {
  const DeviceEfficiency& e = d.efficiency;
  return peak_of(d, precision) * (e.gemm[precision] * e.power_factor * d.sustained);
}

ThinTime thin_product_time(const ProductShape& p, const Device& d, Precision weights,
                           const ThinRates& rates) {
  const OperatorSizes padded{rounded_up(p.m, kRowsOfTile), p.n, p.k, p.groups, 0};
  const FlopsPerSecond rate = large_product_rate(d, multiplied_in(d, weights));
  return {bytes_read(p, weights) / (d.memory_bandwidth * rates.memory),
          flops_of(padded) / (rate * rates.products)};
}

}  // namespace orrery
