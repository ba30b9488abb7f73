// SPDX-License-Identifier: Apache-2.0
//
// Which tiers a group uses, and how many of its units meet there.
//
// `units[i]` counts, over the whole group, the children of tier i that hold a member: ranks for
// i = 0, nodes for the tier between nodes; behind the outermost tier it is 1. A walk that visits
// every rank once, unit by unit, makes units[i] − units[i+1] hops in tier i. Where units are filled
// unevenly (17 ranks on nodes of 8) counts are rounded up, and the last child has what is left.
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

// A child of tier i: its ranks, and how many children of its unit take part, blocks counted in the
// unit they are part of. 0 ranks: none.
struct Child {
  std::int64_t ranks = 0;
  std::int64_t siblings = 0;
};

constexpr Child full_child(const Cluster& c, const Group& g, std::size_t i) {
  const std::int64_t below = members_below(g, i);
  return {below, (g.members[whole_tier(c, i)] + below - 1) / below};
}

// The child with the fewest ranks, where one differs from the others.
constexpr Child last_child(const Cluster& c, const Group& g, const Fold& f, std::size_t i) {
  const std::int64_t below = members_below(g, i);
  const bool even = f.units[i] * below == f.ranks;
  if (even && (i == f.outermost || f.units[i + 1] * g.members[i] == f.ranks)) return {};
  const std::int64_t in_unit = f.ranks % g.members[whole_tier(c, i)];
  const std::int64_t rest = f.ranks % below;
  // Alone in its unit it sends to other units, as many children as a full one's.
  const std::int64_t siblings =
      in_unit <= below ? full_child(c, g, i).siblings : (in_unit + below - 1) / below;
  return {rest == 0 ? below : rest, siblings};
}

// Whether messages that meet farther out pass the links of tier i: those of a card, and those that
// are links of a tier outside.
constexpr bool passed(const Cluster& c, std::size_t i) {
  return is_fabric(c.tiers[i].kind) || c.tiers[i].block;
}

// Whether its messages pass the links of tier i.
constexpr bool on_the_way(const Cluster& c, const Fold& f, std::size_t i) {
  return uses(f, i) || (i < f.outermost && passed(c, i));
}

// The innermost tier the group uses that joins nodes by network cards; behind the outermost if it
// uses none.
constexpr std::size_t first_fabric(const Cluster& c, const Fold& f) {
  std::size_t i = 0;
  while (i <= f.outermost && !(uses(f, i) && is_fabric(c.tiers[i].kind))) ++i;
  return i;
}

}  // namespace orrery
