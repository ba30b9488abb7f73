// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology/inner_cut.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "hardware/topology/cut.h"
#include "hardware/topology/graph_fold.h"

namespace orrery {
namespace {

constexpr std::size_t kMostTried = 8;

using Unit = std::span<const Part>;

Part joined(Unit parts) {
  Part all;
  for (const Part& p : parts) all.insert(all.end(), p.begin(), p.end());
  return all;
}

Part around(Unit unit, std::size_t from, std::size_t block) {
  Part rest = joined(unit.first(from));
  const Part behind = joined(unit.subspan(from + block));
  rest.insert(rest.end(), behind.begin(), behind.end());
  return rest;
}

void keep_tighter(InnerCut& tightest, const InnerCut& cut) {
  if (cut.carried < tightest.carried) tightest = cut;
}

// `block` children from `from` on against the rest.
InnerCut block_cut(const Cuts& cuts, Unit unit, std::size_t from, std::size_t block,
                   BytesPerSecond rate) {
  const auto a = static_cast<double>(block);
  const auto k = static_cast<double>(unit.size());
  const BytesPerSecond needed = rate * (a * (k - a) / (k - 1));
  const BytesPerSecond cut =
      cuts.between(joined(unit.subspan(from, block)), around(unit, from, block));
  return {cut / needed, static_cast<std::int64_t>(block), cut};
}

// All of up to 16, else about kMostTried of them.
std::size_t stride_of(std::size_t many) { return many <= 2 * kMostTried ? 1 : many / kMostTried; }

std::vector<std::size_t> divisors(std::size_t n) {
  std::vector<std::size_t> found;
  for (std::size_t b = 2; b <= n / 2; ++b) {
    if (n % b == 0) found.push_back(b);
  }
  return found;
}

InnerCut blocks_of(Routes& r, Unit unit, BytesPerSecond rate) {
  InnerCut tightest;
  const std::vector<std::size_t> sizes = divisors(unit.size());
  const Cuts cuts(r, r.arcs_between(unit));
  for (std::size_t s = 0; s < sizes.size(); s += stride_of(sizes.size())) {
    const std::size_t block = sizes[sizes.size() - 1 - s];
    const std::size_t last = unit.size() / block - 1;
    const std::size_t step = unit.size() > 2 * kMostTried ? std::max<std::size_t>(last, 1) : 1;
    for (std::size_t i = 0; i <= last; i += step) {
      keep_tighter(tightest, block_cut(cuts, unit, i * block, block, rate));
    }
  }
  return tightest;
}

InnerCut cuts_of(Routes& r, Unit unit, BytesPerSecond rate) {
  InnerCut tightest;
  const Cuts cuts(r, r.arcs_between(unit));
  const std::size_t step = stride_of(unit.size());
  for (std::size_t i = unit.size() - 1; i > 0; i -= std::min(i, step)) {
    const BytesPerSecond pair = cuts.between(unit[0], unit[i]);
    keep_tighter(tightest, {pair / rate, 0, pair});
    keep_tighter(tightest, block_cut(cuts, unit, 0, i, rate));
  }
  tightest.block = 0;
  return tightest;
}

template <class Cuts>
InnerCut tightest_of_units(Routes& r, std::int64_t inside, std::int64_t size, BytesPerSecond rate,
                           Cuts cuts) {
  InnerCut tightest;
  const std::vector<Part> children = children_of(r, inside);
  const auto fan = static_cast<std::size_t>(size / inside);
  for (const auto& unit : unlike_groups(r, children, fan, fan)) {
    keep_tighter(tightest, cuts(r, unit, rate));
  }
  return tightest;
}

}  // namespace

InnerCut tightest_block(Routes& r, std::int64_t inside, std::int64_t size, BytesPerSecond rate) {
  return tightest_of_units(r, inside, size, rate, blocks_of);
}

InnerCut tightest_cut(Routes& r, std::int64_t inside, std::int64_t size, BytesPerSecond rate) {
  return tightest_of_units(r, inside, size, rate, cuts_of);
}

}  // namespace orrery
