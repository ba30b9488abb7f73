// SPDX-License-Identifier: Apache-2.0
//
// A ring inside the node and rings across the nodes, one after another. An all-gather: every rank's
// part across the nodes with its counterparts there, then all inside the node; a reduce-scatter the
// other way round; an all-reduce both, with one all-reduce across. It sends (N − 1)/N·S over the
// cards of one of N nodes (an all-reduce twice that) and needs N − 1 steps between nodes where a
// flat ring has the same and the ranks inside besides, but the links inside wait while those
// between nodes work and the other way round. NCCL and RCCL have none; libraries beside them do
// (Singh et al., PCCL, arXiv:2504.18658; Cho et al., BlueConnect, 2019). Serves groups that cross a
// fabric with several ranks a node; where these differ, as much as a flat ring goes over every
// card. Leaves out overlapping the phases by chunks. Errors: none.
#pragma once

#include <cstddef>

#include "network/phases.h"
#include "network/ring.h"

namespace orrery {

struct Hierarchical {
  static constexpr Algorithm id = Algorithm::hierarchical;

  static constexpr bool has(CollectiveLibrary l) { return l == CollectiveLibrary::any; }
  static bool applies(const Cluster& c, const Fold& f) { return has_ranks_to_join(c, f); }

  // The phase between nodes also passes the links by which its ranks reach their node.
  template <Number R>
  static Clock<R> across(const Cluster& c, const Group& g, const Fold& f, std::size_t fabric,
                         Collective kind, BytesOf<R> full) {
    const bool even = f.units[fabric] * members_below(g, fabric) == f.ranks;
    const auto bytes = bytes_on_wire(kind, even ? f.units[fabric] : f.ranks, full);
    Clock<R> clock = ring_walk(c, g, f, fabric, ring_passes(kind), bytes);
    clock.wire = larger(clock.wire, phase_wire(c, g, f, fabric, bytes));
    return clock;
  }

  template <Number R>
  static SecondsOf<R> time(const Cluster& c, const Group& g, const Fold& f, Collective kind,
                           BytesOf<R> full) {
    const std::size_t fabric = first_fabric(c, f);
    const Fold node = fold(c, g, members_below(g, fabric));
    const auto between =
        named(total(across(c, g, f, fabric, kind, full)), {"time between nodes", ""});
    const auto once = kind == Collective::all_reduce ? Collective::all_gather : kind;
    const auto inside = ring_time(c, g, node, once, full);
    const R times = kind == Collective::all_reduce ? R(2) : R(1);
    return named(between + inside * times, {"hierarchical time", ""});
  }
};

}  // namespace orrery
