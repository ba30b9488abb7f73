// SPDX-License-Identifier: Apache-2.0
//
// Recursive halving and doubling, tier by tier. An all-gather exchanges with the farthest ranks
// first, while every rank holds little, in ⌈log2 k⌉ steps among k children, and sends
// (k − 1)/k·S over the link of each; a reduce-scatter runs the other way round, an all-reduce is
// one after the other (Thakur, Rabenseifner and Gropp, Int. J. High Perf. Comp. Appl. 19, 2005;
// Bruck et al. 1997 where k is no power of two). Tiers work in turn, so their wire times add. NCCL
// and RCCL have none; MPI libraries and PCCL (Singh et al., arXiv:2504.18658) do. Leaves out
// congestion of exchanges over distance inside a tier. Errors: none.
#pragma once

#include <cstddef>

#include "network/phases.h"
#include "network/ring.h"
#include "network/tree.h"

namespace orrery {

// In any order of phases every rank gets or gives (n − 1)/n·S over the slowest link on its way.
template <Number R>
SecondsOf<R> least_wire(const Cluster& c, const Group& g, const Fold& f, Collective kind,
                        BytesOf<R> full) {
  return ring_walk(c, g, f, 0, 1, bytes_on_wire(kind, f.ranks, full)).wire;
}

// One phase of each tier: `passes` times ⌈log2 k⌉ steps.
template <Number R>
Clock<R> recursive_clock(const Cluster& c, const Group& g, const Fold& f, Collective kind,
                         BytesOf<R> full) {
  Clock<R> clock;
  SecondsOf<R> wire{};
  for (std::size_t i = 0; i <= f.outermost; ++i) {
    if (!uses(f, i)) continue;
    const auto phase = phase_wire(c, g, f, i, bytes_on_wire(kind, children(g, i), full));
    pass_tier(clock, c, i, ring_passes(kind) * tree_depth(children(g, i)), phase);
    wire = plain(wire) == Seconds() ? phase : wire + phase;
  }
  clock.wire = larger(wire, least_wire(c, g, f, kind, full));
  return clock;
}

struct Recursive {
  static constexpr Algorithm id = Algorithm::recursive;

  static constexpr bool has(CollectiveLibrary l) { return l == CollectiveLibrary::any; }
  static bool applies(const Cluster& /*c*/, const Fold& /*f*/) { return true; }

  template <Number R>
  static SecondsOf<R> time(const Cluster& c, const Group& g, const Fold& f, Collective kind,
                           BytesOf<R> full) {
    return named(total(recursive_clock(c, g, f, kind, full)), {"recursive time", ""});
  }
};

}  // namespace orrery
