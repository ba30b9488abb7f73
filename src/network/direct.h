// SPDX-License-Identifier: Apache-2.0
//
// Messages straight to where they belong.
//
// All-to-all: what leaves a unit of u of the n ranks, u(n − u)/n·S, goes over that unit's link; all
// tiers work at once and the busiest binds, of units filled unevenly the slowest. Steps: a rank
// serves the other units of a tier in turn, the ranks within one of them together; where a fabric
// has several tiers, one node after another. Never less than a step inside the node for each of the
// n − 1 messages a rank posts: reaching more ranks over a fabric is no cheaper [assumed].
// Between two points: one step in the outermost tier, the message on every fabric link on its way
// (a card reaches the fabric without the switch of its node) and on those of blocks it leaves.
//
// Where ranks send unevenly (all-to-all-v) one rank sends `busiest_rank` times the mean and the
// others share the rest alike: its unit of u sends (f + (u − 1)(n − f)/(n − 1))/u times what it
// would, and what the rank itself sends over a fabric goes over its own card. Leaves out messages
// to one node sent once for several of its ranks (mixture of experts). Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "network/clock.h"
#include "network/collective.h"

namespace orrery {

// Bytes that the u ranks of a unit send to the others.
template <Number R>
BytesOf<R> leaving(BytesOf<R> full, std::int64_t unit, std::int64_t ranks) {
  const R u = count<R>(unit, {"ranks of a unit", ""});
  const R n = count<R>(ranks, {"ranks of the group", ""});
  return named(full * (u * (n - u) / n), {"bytes that leave a unit", ""});
}

// The load of the unit of u ranks that holds the busiest, over the mean.
inline double busiest_unit(const Group& g, std::int64_t unit) {
  const auto u = static_cast<double>(unit);
  const auto n = static_cast<double>(g.ranks);
  return (g.busiest_rank + (u - 1) * (n - g.busiest_rank) / (n - 1)) / u;
}

template <Number R>
BytesOf<R> leaving_busiest(BytesOf<R> full, const Group& g, std::int64_t unit, std::int64_t ranks) {
  const auto mean = leaving(full, unit, ranks);
  if (g.busiest_rank == 1) return mean;
  return mean * lift<R>(busiest_unit(g, unit), {"load of the busiest unit over the mean", ""});
}

template <Number R>
SecondsOf<R> message_time(const Cluster& c, const Group& g, std::size_t outermost,
                          BytesOf<R> bytes) {
  Clock<R> clock;
  for (std::size_t i = 0; i <= outermost; ++i) {
    if (i < outermost && !passed(c, i)) continue;
    const auto wire = bytes / link_share(c, g, i, full_child(c, g, i), ring_efficiency<R>(c, i));
    pass_tier(clock, c, i, i == outermost ? 1 : 0, wire);
  }
  return named(total(clock), {"message time", ""});
}

// Bytes that the busiest rank sends out of its unit.
template <Number R>
BytesOf<R> leaving_alone(BytesOf<R> full, const Group& g, std::int64_t unit, std::int64_t ranks) {
  return leaving(full, unit, ranks) / count<R>(unit, {"ranks of a unit", ""}) *
         lift<R>(g.busiest_rank, {"load of the busiest rank over the mean", ""});
}

// Bytes that leave this child, or the busiest of its ranks.
template <Number R>
SecondsOf<R> exchange_wire(const Cluster& c, const Group& g, const Fold& f, std::size_t i,
                           Child child, BytesOf<R> full) {
  const auto unit = leaving_busiest(full, g, child.ranks, f.ranks) /
                    link_share(c, g, i, child, exchange_efficiency<R>(c, g, i));
  if (g.busiest_rank == 1 || !is_fabric(c.tiers[i].kind)) return unit;
  return larger(unit,
                leaving_alone(full, g, child.ranks, f.ranks) /
                    link_share(c, g, i, Child{1, child.line}, exchange_efficiency<R>(c, g, i)));
}

template <Number R>
SecondsOf<R> exchange_wire(const Cluster& c, const Group& g, const Fold& f, std::size_t i,
                           BytesOf<R> full) {
  const Child first = full_child(c, g, i);
  const Child last = last_child(c, g, f, i);
  const auto wire = exchange_wire(c, g, f, i, first, full);
  return first == last ? wire : larger(wire, exchange_wire(c, g, f, i, last, full));
}

// A step of the innermost tier for every other rank.
template <Number R>
SecondsOf<R> posting(const Cluster& c, const Fold& f) {
  const R peers = count<R>(f.ranks - 1, {"messages a rank posts", ""});
  return named(peers * lift<R>(c.tiers[0].latency, {"cluster.tiers.latency", "", 0}),
               {"messages × latency", "", 0});
}

// The tier whose children are served in turn: of fabrics the first in use, `fabric`, of blocks the
// innermost.
constexpr std::size_t served_tier(const Cluster& c, std::size_t i, std::size_t fabric) {
  if (i > fabric) return fabric;
  while (i > 0 && c.tiers[i - 1].block) --i;
  return i;
}

// The other units of tier i that are served one after another.
constexpr std::int64_t turns(const Cluster& c, const Group& g, std::size_t i, std::size_t fabric) {
  const std::int64_t others = children(g, i) - 1;
  const std::int64_t served = members_below(g, served_tier(c, i, fabric));
  return others * units_filled(members_below(g, i), served);
}

struct Direct {
  static constexpr Algorithm id = Algorithm::direct;

  static constexpr bool has(CollectiveLibrary /*l*/) { return true; }
  static bool applies(const Cluster& /*c*/, const Fold& /*f*/) { return true; }

  template <Number R>
  static SecondsOf<R> time(const Cluster& c, const Group& g, const Fold& f, Collective kind,
                           BytesOf<R> full) {
    if (kind == Collective::point_to_point) return message_time(c, g, f.outermost, full);
    const std::size_t fabric = first_fabric(c, f);
    Clock<R> clock;
    for (std::size_t i = 0; i <= f.outermost; ++i) {
      if (!on_the_way(c, f, i)) continue;
      pass_tier(clock, c, i, turns(c, g, i, fabric), exchange_wire(c, g, f, i, full));
    }
    if (uses(f, 0)) clock.latency = larger(clock.latency, posting<R>(c, f));
    return named(total(clock), {"all-to-all time", ""});
  }
};

}  // namespace orrery
