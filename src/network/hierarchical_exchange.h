// SPDX-License-Identifier: Apache-2.0
//
// All-to-all tier by tier, innermost first: among the k children of a unit every rank exchanges all
// that is bound for other children with its counterparts there, so that each of its messages
// carries what all of a unit's ranks send to another's. A rank puts (k − 1)/k·S on the wire in
// every tier and k − 1 messages in place of the unit's many: fewer steps, more bytes (2DH of Tutel,
// Hwang et al., arXiv:2206.03382; DeepSpeed-MoE, Rajbhandari et al., arXiv:2201.05596). Phases
// follow one another, so their wire times add. NCCL and RCCL have none; libraries over them do.
// Serves groups of several ranks a node. Leaves out the copies that put the messages in order
// between phases. Errors: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "network/direct.h"
#include "network/phases.h"

namespace orrery {

struct HierarchicalExchange {
  static constexpr Algorithm id = Algorithm::hierarchical;

  static constexpr bool has(CollectiveLibrary l) { return l == CollectiveLibrary::any; }
  static bool applies(const Cluster& c, const Fold& f) { return has_ranks_to_join(c, f); }

  // Bytes that leave a child of tier i for the others of its unit, and those for ranks outside as
  // often.
  template <Number R>
  static SecondsOf<R> phase(const Cluster& c, const Group& g, const Fold& f, std::size_t i,
                            Child child, BytesOf<R> full) {
    auto bytes = leaving(full, child.ranks, std::min(g.members[i], f.ranks));
    if (g.busiest_rank != 1) {
      bytes = bytes *
              lift<R>(busiest_unit(g, child.ranks), {"load of the busiest unit over the mean", ""});
    }
    return phase_wire(c, g, f, i, child, bytes, &exchange_efficiency<R>);
  }

  // The last child has fewer ranks to fill its cards, and fewer bytes.
  template <Number R>
  static SecondsOf<R> phase(const Cluster& c, const Group& g, const Fold& f, std::size_t i,
                            BytesOf<R> full) {
    const Child first = full_child(c, g, i);
    const Child last = last_child(c, g, f, i);
    const auto wire = phase(c, g, f, i, first, full);
    return first == last ? wire : larger(wire, phase(c, g, f, i, last, full));
  }

  // In a unit of a fabric a step for every other child, in the node what direct messages take.
  static std::int64_t steps(const Cluster& c, const Group& g, std::size_t i, std::size_t fabric) {
    return i < fabric ? turns(c, g, i, fabric) : children(g, i) - 1;
  }

  // A step of the innermost tier for every other rank of the node at least, as in direct.h.
  template <Number R>
  static void post_in_node(Clock<R>& clock, const Cluster& c, const Group& g, const Fold& f,
                           std::size_t fabric) {
    if (!uses(f, 0)) return;
    const Fold node = fold(c, g, members_below(g, fabric));
    clock.latency = larger(clock.latency, posting<R>(c, node));
  }

  template <Number R>
  static SecondsOf<R> time(const Cluster& c, const Group& g, const Fold& f, Collective /*kind*/,
                           BytesOf<R> full) {
    const std::size_t fabric = first_fabric(c, f);
    Clock<R> clock;
    SecondsOf<R> wire{};
    SecondsOf<R> least{};
    for (std::size_t i = 0; i <= f.outermost; ++i) {
      if (i == fabric) post_in_node(clock, c, g, f, fabric);
      if (!on_the_way(c, f, i)) continue;
      least = raised(least, exchange_wire(c, g, f, i, full));
      if (!uses(f, i)) continue;
      const auto once = phase(c, g, f, i, full);
      pass_tier(clock, c, i, steps(c, g, i, fabric), once);
      wire = plain(wire) == Seconds() ? once : wire + once;
    }
    clock.wire = larger(wire, least);
    return named(total(clock), {"hierarchical all-to-all time", ""});
  }
};

}  // namespace orrery
