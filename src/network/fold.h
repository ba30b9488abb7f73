// SPDX-License-Identifier: Apache-2.0
//
// The tiers that a group uses, and how many of its units meet there.
//
// `units[i]` counts, over the whole group, the children of tier i that hold a member: ranks for
// i = 0, nodes for the tier between nodes; behind the outermost tier it is 1. A walk that visits
// every rank once, unit by unit, makes units[i] − units[i+1] hops in tier i. Where units are filled
// unevenly (17 ranks on nodes of 8) counts are rounded up, and the last child has what is left.
// Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/divide.h"
#include "hardware/cluster.h"
#include "network/group.h"

namespace orrery {

struct Fold {
  std::int64_t ranks = 1;
  std::size_t outermost = 0;
  std::array<std::int64_t, kMaxTiers + 1> units{1, 1, 1, 1, 1, 1, 1};
};

// Units of `inside` that `ranks` fill, the last one in part. Divides only where it must: a division
// takes as long as all else about a tier.
constexpr std::int64_t units_filled(std::int64_t ranks, std::int64_t inside) {
  if (inside == 1) return ranks;
  return divided_up(ranks, inside);
}

// Members of the group inside one child of tier i.
constexpr std::int64_t members_below(const Group& g, std::size_t i) {
  return i == 0 ? 1 : g.members[i - 1];
}

// Children of one unit of tier i that take part.
constexpr std::int64_t children(const Group& g, std::size_t i) {
  return units_filled(g.members[i], members_below(g, i));
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
    f.units[f.outermost] = units_filled(ranks, inside);
  }
  return f;
}

constexpr std::int64_t hops(const Fold& f, std::size_t i) { return f.units[i] - f.units[i + 1]; }

constexpr bool uses(const Fold& f, std::size_t i) { return hops(f, i) > 0; }

// Children that take part in a full unit of tier i, blocks counted in the unit they are part of.
constexpr std::int64_t siblings(const Cluster& c, const Group& g, std::size_t i) {
  return units_filled(g.members[whole_tier(c, i)], members_below(g, i));
}

// Whether all children of tier i have as many ranks, and all of its units as many children.
constexpr bool is_even(const Group& g, const Fold& f, std::size_t i) {
  if (f.units[i] * members_below(g, i) != f.ranks) return false;
  return i == f.outermost || f.units[i + 1] * g.members[i] == f.ranks;
}

// Siblings in the unit of the last child. If it is alone there, it sends to other units, to as many
// children as in a full unit.
constexpr std::int64_t last_siblings(const Cluster& c, const Group& g, const Fold& f,
                                     std::size_t i) {
  const std::int64_t below = members_below(g, i);
  const std::int64_t in_unit = f.ranks % g.members[whole_tier(c, i)];
  if (is_even(g, f, i) || in_unit <= below) return siblings(c, g, i);
  return units_filled(in_unit, below);
}

// A child of tier i: its ranks, and the line rate of its link.
struct Child {
  std::int64_t ranks = 0;
  BytesPerSecond line{};

  bool operator==(const Child&) const = default;
};

// Siblings are counted only where the rate depends on them.
constexpr Child full_child(const Cluster& c, const Group& g, std::size_t i) {
  const Tier& t = c.tiers[i];
  return {members_below(g, i), t.group_sizes == 0 ? t.bandwidth : line_rate(t, siblings(c, g, i))};
}

// The child with the fewest ranks and siblings; where all are even, as the others. None gets less
// of its link, as neither line_rate() nor filled_share() ever falls with them.
constexpr Child last_child(const Cluster& c, const Group& g, const Fold& f, std::size_t i) {
  const Tier& t = c.tiers[i];
  return {f.ranks - (f.units[i] - 1) * members_below(g, i),
          t.group_sizes == 0 ? t.bandwidth : line_rate(t, last_siblings(c, g, f, i))};
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
