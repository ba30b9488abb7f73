// SPDX-License-Identifier: Apache-2.0
//
// Which tiers a group uses, and how many of its units meet there.
//
// `units[i]` counts, over the whole group, the children of tier i that hold a member: ranks for
// i = 0, nodes for the tier between nodes; behind the outermost tier it is 1. A walk that visits
// every rank once, unit by unit, makes units[i] − units[i+1] hops in tier i. Counts of uneven
// groups are rounded up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hardware/cluster.h"
#include "network/group.h"

namespace orrery {

struct Fold {
  std::int64_t ranks = 1;
  std::size_t outermost = 0;
  std::array<std::int64_t, kMaxTiers + 1> units{1, 1, 1, 1, 1, 1, 1};
};

// Members of the group inside one child of tier i.
constexpr std::int64_t members_below(const Group& g, std::size_t i) {
  return i == 0 ? 1 : g.members[i - 1];
}

// Children of one unit of tier i that take part.
constexpr std::int64_t children(const Group& g, std::size_t i) {
  const std::int64_t below = members_below(g, i);
  return (g.members[i] + below - 1) / below;
}

// The first `ranks` of the group: all of them, or the members of one unit. More than one.
constexpr Fold fold(const Cluster& c, const Group& g, std::int64_t ranks) {
  Fold f;
  f.ranks = ranks;
  f.units[0] = ranks;
  const std::size_t last = c.tier_count - 1U;
  while (f.outermost < last && g.members[f.outermost] < ranks) {
    const std::int64_t inside = g.members[f.outermost];
    ++f.outermost;
    f.units[f.outermost] = (ranks + inside - 1) / inside;
  }
  return f;
}

constexpr std::int64_t hops(const Fold& f, std::size_t i) { return f.units[i] - f.units[i + 1]; }

constexpr bool uses(const Fold& f, std::size_t i) { return hops(f, i) > 0; }

// Whether its messages pass the links of tier i: those of a card too where no two members meet.
constexpr bool on_the_way(const Cluster& c, const Fold& f, std::size_t i) {
  return uses(f, i) || (i < f.outermost && is_fabric(c.tiers[i].kind));
}

// The innermost tier the group uses that joins nodes by network cards; behind the outermost if it
// uses none.
constexpr std::size_t first_fabric(const Cluster& c, const Fold& f) {
  std::size_t i = 0;
  while (i <= f.outermost && !(uses(f, i) && is_fabric(c.tiers[i].kind))) ++i;
  return i;
}

}  // namespace orrery
