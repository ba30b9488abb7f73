// SPDX-License-Identifier: Apache-2.0
//
// All-reduce in three phases, one after another: reduce-scatter inside the node, every rank's
// all-reduce of its part across the nodes, all-gather inside the node; each phase a ring. It sends
// 2(N − 1)/N·S over the cards of one of N nodes and needs 2(N − 1) steps between nodes, but the
// links inside wait while those between nodes work and the other way round. Serves groups that
// cross a fabric with several ranks a node. Leaves out overlapping the phases by chunks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "network/ring.h"

namespace orrery {

struct Hierarchical {
  static constexpr Algorithm id = Algorithm::hierarchical;

  static bool applies(const Cluster& c, const Fold& f) {
    const std::size_t fabric = first_fabric(c, f);
    return fabric > 0 && fabric <= f.outermost && f.units[fabric] < f.ranks;
  }

  // The phase between nodes also passes the links by which its ranks reach their node.
  template <Number R>
  static Clock<R> across(const Cluster& c, const Group& g, const Fold& f, std::size_t fabric,
                         BytesOf<R> full) {
    const auto bytes = bytes_on_wire(Collective::all_reduce, f.units[fabric], full);
    Clock<R> clock = ring_walk(c, g, f, fabric, 2, bytes);
    const std::int64_t inside = members_below(g, fabric);
    for (std::size_t i = 0; i < fabric; ++i) {
      if (!uses(f, i)) continue;
      const R part = count<R>(members_below(g, i), {"ranks behind the link", ""}) /
                     count<R>(inside, {"ranks in the node", ""});
      clock.wire = larger(clock.wire, bytes * part / link_share(c, g, i, ring_efficiency<R>(c, i)));
    }
    return clock;
  }

  template <Number R>
  static SecondsOf<R> time(const Cluster& c, const Group& g, const Fold& f, Collective /*kind*/,
                           BytesOf<R> full) {
    const std::size_t fabric = first_fabric(c, f);
    const Fold node = fold(c, g, members_below(g, fabric));
    const auto scatter = ring_time(c, g, node, Collective::reduce_scatter, full);
    const auto gather = ring_time(c, g, node, Collective::all_gather, full);
    const auto between = named(total(across(c, g, f, fabric, full)), {"time between nodes", ""});
    return named(scatter + between + gather, {"hierarchical time", ""});
  }
};

}  // namespace orrery
