// SPDX-License-Identifier: Apache-2.0
#include "network/cut_bound.h"

#include <algorithm>
#include <cstddef>

#include "network/direct.h"

namespace orrery {
namespace {

bool reduces_from(const Cluster& c, const Fold& f, std::size_t i) {
  for (; i <= f.outermost; ++i) {
    if (uses(f, i) && c.tiers[i].in_network_reduction) return true;
  }
  return false;
}

// The share of S that must cross the link of a unit of `ranks` below tier i.
double crossing(const Cluster& c, const Group& g, const Fold& f, Collective kind, std::size_t i,
                std::int64_t ranks) {
  const auto n = static_cast<double>(f.ranks);
  const auto u = static_cast<double>(ranks);
  const auto units = static_cast<double>(f.units[i]);
  const bool full = ranks == members_below(g, i);
  switch (kind) {
    case Collective::all_reduce:
      return reduces_from(c, f, i) || !full ? 1.0 : 2.0 * (units - 1.0) / units;
    case Collective::all_gather:
    case Collective::reduce_scatter:
      return (n - u) / n;
    case Collective::all_to_all:
      return u * (n - u) / n * busiest_unit(g, ranks);
    case Collective::point_to_point:
      return i == f.outermost || passed(c, i) ? 1.0 : 0.0;
    case Collective::broadcast:
    case Collective::reduce:
      return 1.0;
  }
  return 0.0;
}

Seconds link_bound(const Cluster& c, const Group& g, const Fold& f, Collective kind, std::size_t i,
                   Child child, Bytes full_buffer) {
  const double share =
      std::min({1.0 / static_cast<double>(g.sharers[i]), filled_share(c.tiers[i], child.ranks),
                share_of_cards_left(c.tiers[i], g.sharers[i])});
  const Bytes bytes = full_buffer * (crossing(c, g, f, kind, i, child.ranks) / share);
  return bytes / child.line;
}

}  // namespace

Seconds cut_bound(const Cluster& c, const Group& g, Collective kind, Bytes full_buffer) {
  if (g.ranks <= 1) return {};
  const Fold f = fold(c, g, g.ranks);
  Seconds bound;
  for (std::size_t i = 0; i <= f.outermost; ++i) {
    if (!on_the_way(c, f, i)) continue;
    bound = std::max(bound, link_bound(c, g, f, kind, i, full_child(c, g, i), full_buffer));
    bound = std::max(bound, link_bound(c, g, f, kind, i, last_child(c, g, f, i), full_buffer));
  }
  return bound;
}

}  // namespace orrery
