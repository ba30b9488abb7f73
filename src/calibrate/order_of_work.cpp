// SPDX-License-Identifier: Apache-2.0
// The order of the designed work, and the part that a check measures: calibrate/bench.h.
#include <algorithm>
#include <map>

#include "calibrate/bench.h"

namespace orrery {
namespace {

// The bits of i reversed: 0, ½, ¼, ¾, … of the way through.
double turned(std::size_t i) {
  double value = 0;
  double bit = 0.5;
  for (; i > 0; i >>= 1U, bit /= 2) value += (i & 1U) != 0 ? bit : 0;
  return value;
}

// Positions 0 … n−1 in an order whose every beginning is spread over the whole.
std::vector<std::size_t> spread_order(std::size_t n) {
  std::vector<std::size_t> order;
  std::vector<bool> taken(n, false);
  for (std::size_t i = 0; order.size() < n; ++i) {
    const auto at = static_cast<std::size_t>(turned(i) * static_cast<double>(n));
    if (taken[at]) continue;
    taken[at] = true;
    order.push_back(at);
  }
  return order;
}

}  // namespace

std::vector<std::size_t> covering_order(const std::vector<Measurement>& work) {
  std::map<std::string, std::vector<std::size_t>> curves;
  for (std::size_t i = 0; i < work.size(); ++i) curves[curve_of(work[i])].push_back(i);
  std::vector<std::vector<std::size_t>> ordered;
  for (const auto& [name, in] : curves) {
    std::vector<std::size_t> one;
    for (const std::size_t at : spread_order(in.size())) one.push_back(in[at]);
    ordered.push_back(std::move(one));
  }
  std::vector<std::size_t> order;
  for (std::size_t rank = 0; order.size() < work.size(); ++rank) {
    for (const auto& curve : ordered) {
      if (rank < curve.size()) order.push_back(curve[rank]);
    }
  }
  return order;
}

std::vector<Measurement> tenth_of(const std::vector<Measurement>& work) {
  constexpr std::size_t kTenth = 10;
  std::map<std::string, std::size_t> sizes;
  for (const Measurement& m : work) ++sizes[curve_of(m)];
  std::map<std::string, std::size_t> seen;
  std::vector<Measurement> out;
  for (const Measurement& m : work) {
    const std::string curve = curve_of(m);
    const std::size_t middle = std::min(kTenth, sizes[curve]) / 2;
    if (seen[curve]++ % kTenth == middle) out.push_back(m);
  }
  return out;
}

}  // namespace orrery
