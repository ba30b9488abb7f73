// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology/inner_cut.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "hardware/topology/cut.h"

namespace orrery {
namespace {

constexpr std::int64_t kMostUnits = 64;
constexpr std::int64_t kMostTried = 16;
constexpr double kSlack = 0.99;

struct Unit {
  std::int64_t first;   // device
  std::int64_t inside;  // devices of a child
  std::int64_t fan;     // children
};

Part devices(std::int64_t from, std::int64_t to) {
  Part part;
  for (std::int64_t d = from; d < to; ++d) part.push_back(static_cast<std::int32_t>(d));
  return part;
}

Part children(const Unit& u, std::int64_t from, std::int64_t to) {
  return devices(u.first + from * u.inside, u.first + to * u.inside);
}

ArcLoads arcs_of(Routes& r, const Unit& u) {
  std::vector<Part> parts;
  for (std::int64_t i = 0; i < u.fan; ++i) parts.push_back(children(u, i, i + 1));
  return r.arcs_between(parts);
}

std::vector<Unit> units_of(const Routes& r, std::int64_t inside, std::int64_t size) {
  std::vector<Unit> units;
  const std::int64_t count = static_cast<std::int64_t>(r.device_count()) / size;
  for (std::int64_t i = 0; i < std::min(count, kMostUnits); ++i) {
    units.push_back({i * size, inside, size / inside});
  }
  return units;
}

std::optional<InnerCut> narrow_pair(Routes& r, const Unit& u, BytesPerSecond rate) {
  const ArcLoads usable = arcs_of(r, u);
  const std::int64_t step = std::max<std::int64_t>(1, u.fan / kMostTried);
  for (std::int64_t i = u.fan - 1; i > 0; i -= step) {
    const BytesPerSecond cut = cut_between(r, usable, children(u, 0, 1), children(u, i, i + 1));
    if (cut < rate * kSlack) return InnerCut{cut, rate, 0, 0};
  }
  return {};
}

std::optional<InnerCut> narrow_block(Routes& r, const Unit& u, const ArcLoads& usable,
                                     std::int64_t from, std::int64_t block, BytesPerSecond rate) {
  Part rest = children(u, 0, from);
  const Part behind = children(u, from + block, u.fan);
  rest.insert(rest.end(), behind.begin(), behind.end());
  const std::int64_t others = u.fan - block;
  const BytesPerSecond needed =
      rate * (static_cast<double>(block * others) / static_cast<double>(u.fan - 1));
  const BytesPerSecond cut = cut_between(r, usable, children(u, from, from + block), rest);
  if (cut < needed * kSlack) return InnerCut{cut, needed, block, others};
  return {};
}

std::optional<InnerCut> narrow_halves(Routes& r, const Unit& u, BytesPerSecond rate) {
  const ArcLoads usable = arcs_of(r, u);
  if (auto cut = narrow_block(r, u, usable, 0, u.fan / 2, rate)) return cut;
  for (std::int64_t block = 2; block < u.fan; block *= 2) {
    const std::int64_t last = (u.fan / block - 1) * block;
    const std::int64_t step = u.fan > kMostTried ? std::max(last, block) : block;
    for (std::int64_t from = 0; from <= last; from += step) {
      if (auto cut = narrow_block(r, u, usable, from, block, rate)) return cut;
    }
  }
  return {};
}

}  // namespace

std::optional<InnerCut> cut_below_a_ring(Routes& r, std::int64_t inside, std::int64_t size,
                                         BytesPerSecond rate) {
  for (const Unit& u : units_of(r, inside, size)) {
    if (auto cut = narrow_pair(r, u, rate)) return cut;
  }
  return {};
}

std::optional<InnerCut> cut_below_an_exchange(Routes& r, std::int64_t inside, std::int64_t size,
                                              BytesPerSecond rate) {
  for (const Unit& u : units_of(r, inside, size)) {
    if (auto cut = narrow_halves(r, u, rate)) return cut;
  }
  return {};
}

}  // namespace orrery
