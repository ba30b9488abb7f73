// SPDX-License-Identifier: Apache-2.0
//
// The load of a link when tiers work one after another: each exchange is among the children of one
// unit, and all ranks of a child take part with a part of the buffer each. Errors: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "network/clock.h"
#include "network/collective.h"
#include "network/volume.h"

namespace orrery {

// Across a fabric, with several ranks on a node: what phases by tier need to have any use.
inline bool has_ranks_to_join(const Cluster& c, const Fold& f) {
  const std::size_t fabric = first_fabric(c, f);
  return fabric > 0 && fabric <= f.outermost && f.units[fabric] < f.ranks;
}

// `bytes` leave this child of tier i, the same from every rank in it: over the child's own link and
// over those by which its ranks reach it. `efficiency` is the share of a tier's line rate attained.
template <Number R>
SecondsOf<R> phase_wire(const Cluster& c, const Group& g, const Fold& f, std::size_t i, Child child,
                        BytesOf<R> bytes,
                        R (*efficiency)(const Cluster&, const Group&, std::size_t)) {
  auto wire = bytes / link_share(c, g, i, child, efficiency(c, g, i));
  for (std::size_t j = 0; j < i; ++j) {
    if (!on_the_way(c, f, j)) continue;
    const std::int64_t behind = std::min(members_below(g, j), child.ranks);
    const R part = count<R>(behind, {"ranks behind the link", ""}) /
                   count<R>(child.ranks, {"ranks in the unit", ""});
    wire = larger(wire, bytes * part / link_share(c, g, f, j, efficiency(c, g, j)));
  }
  return wire;
}

// The same of every child, by rings: the slowest one's link.
template <Number R>
SecondsOf<R> phase_wire(const Cluster& c, const Group& g, const Fold& f, std::size_t i,
                        BytesOf<R> bytes) {
  R(*const ring)
  (const Cluster&, const Group&, std::size_t) = [](const Cluster& cluster, const Group& /*group*/,
                                                   std::size_t tier) {
    return ring_efficiency<R>(cluster, tier);
  };
  return phase_wire(c, g, f, i, last_child(c, g, f, i), bytes, ring);
}

}  // namespace orrery
