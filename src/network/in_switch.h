// SPDX-License-Identifier: Apache-2.0
//
// All-reduce by arithmetic in the switches (NVLink SHARP in a node, SHARP between nodes): every
// link carries S each way. The attained rate is given as that of a ring of the same time
// (`reduction_efficiency`, a busbw over the line rate), so it may exceed 1; never is S sent faster
// than the line rate. Its latency is counted as the ring's, as hardware/tier.h has fitted it: small
// messages go as rings, and the switch starts no faster (NCCL src/graph/tuning.cc: 25 us a hop
// against 14 × 1.9 us of a ring of 8). Leaves out that this latency hardly grows with the ranks.
// Serves groups whose tiers all reduce.
#pragma once

#include <cstddef>

#include "network/clock.h"
#include "network/collective.h"
#include "network/volume.h"

namespace orrery {

template <Number R>
void pass_switch(Clock<R>& clock, const Cluster& c, const Group& g, std::size_t i,
                 BytesOf<R> full) {
  const R attained = lift<R>(c.tiers[i].reduction_efficiency,
                             {"cluster.tiers.reduction_efficiency", "", static_cast<int>(i)});
  const auto as_ring = bytes_on_wire(Collective::all_reduce, g.members[i], full);
  const auto wire =
      larger(full / link_share(c, g, i, R(1)), as_ring / link_share(c, g, i, attained));
  pass_tier(clock, c, i, 2 * (children(g, i) - 1), wire);
}

struct InSwitch {
  static constexpr Algorithm id = Algorithm::in_switch;

  static bool applies(const Cluster& c, const Fold& f) {
    for (std::size_t i = 0; i <= f.outermost; ++i) {
      if (uses(f, i) && !c.tiers[i].in_network_reduction) return false;
    }
    return true;
  }

  template <Number R>
  static SecondsOf<R> time(const Cluster& c, const Group& g, const Fold& f, Collective /*kind*/,
                           BytesOf<R> full) {
    Clock<R> clock;
    for (std::size_t i = 0; i <= f.outermost; ++i) {
      if (uses(f, i)) pass_switch(clock, c, g, i, full);
    }
    return named(total(clock), {"in-switch time", ""});
  }
};

}  // namespace orrery
