// SPDX-License-Identifier: Apache-2.0
//
// Flat ring. The ranks form one walk that enters and leaves every unit once, and chunks travel
// along it: n − 1 steps and (n − 1)/n·S over every link a pass, two passes for an all-reduce
// (Patarasuk and Yuan, J. Parallel Distrib. Comput. 69, 2009). The channels of a library rotate the
// walk over the ranks of a node, so that one group uses all of the node's network cards, and the
// slowest link on the way binds. A broadcast or reduce is the same walk with all of S. Leaves out
// uneven channels and a walk laid badly over the topology. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "network/clock.h"
#include "network/collective.h"
#include "network/volume.h"

namespace orrery {

constexpr std::int64_t ring_passes(Collective kind) {
  return kind == Collective::all_reduce ? 2 : 1;
}

// A walk over the units of tier `first`, through it and the tiers outside it; every link it crosses
// carries `bytes` in all its passes together.
template <Number R>
Clock<R> ring_walk(const Cluster& c, const Group& g, const Fold& f, std::size_t first,
                   std::int64_t passes, BytesOf<R> bytes) {
  Clock<R> clock;
  for (std::size_t i = first; i <= f.outermost; ++i) {
    if (!on_the_way(c, f, i)) continue;
    const auto wire = bytes / channels_share(c, g, f, i, ring_efficiency<R>(c, i));
    pass_tier(clock, c, i, passes * hops(f, i), wire);
  }
  return clock;
}

template <Number R>
SecondsOf<R> ring_time(const Cluster& c, const Group& g, const Fold& f, Collective kind,
                       BytesOf<R> full) {
  const bool whole = kind == Collective::broadcast || kind == Collective::reduce;
  const auto bytes = whole ? full : bytes_on_wire(kind, f.ranks, full);
  return named(total(ring_walk(c, g, f, 0, ring_passes(kind), bytes)), {"ring time", ""});
}

struct Ring {
  static constexpr Algorithm id = Algorithm::ring;

  static constexpr bool has(CollectiveLibrary /*l*/) { return true; }
  static bool applies(const Cluster& /*c*/, const Fold& /*f*/) { return true; }

  template <Number R>
  static SecondsOf<R> time(const Cluster& c, const Group& g, const Fold& f, Collective kind,
                           BytesOf<R> full) {
    return ring_time(c, g, f, kind, full);
  }
};

}  // namespace orrery
