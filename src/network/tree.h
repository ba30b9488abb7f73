// SPDX-License-Identifier: Apache-2.0
//
// All-reduce over double binary trees: up to a root and down again, each of two trees with half of
// the buffer, a node that is inside one being a leaf of the other (Sanders, Speck and Träff,
// Parallel Computing 35, 2009; as NCCL does between nodes). The link of a busy node carries 2S, of
// one of only two nodes S; the depth is 2·log2 of the nodes. Inside a node a switch that reduces
// does (from three ranks on, as NVLSTree), else the ranks form a chain with 2S on a link. Chunks
// fill a pipeline of that depth: with the best number of chunks L + w becomes (√L + √w)², L the
// latency of all steps, so the ramp is at least 4L. That is what makes a large tree slow at middle
// sizes. Leaves out the few percent by which the real trees keep some links less busy than 2S.
// Errors: none.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "network/clock.h"
#include "network/collective.h"
#include "network/in_switch.h"

namespace orrery {

constexpr std::int64_t tree_depth(std::int64_t n) {
  return std::bit_width(static_cast<std::uint64_t>(n - 1));
}

// The hops in tier i of a chain through a unit; blocks count in the unit that contains them.
constexpr std::int64_t chain_hops(const Cluster& c, const Group& g, std::size_t i) {
  return siblings(c, g, i) - units_filled(g.members[whole_tier(c, i)], g.members[i]);
}

template <Number R>
void pass_branches(Clock<R>& clock, const Cluster& c, const Group& g, const Fold& f, std::size_t i,
                   BytesOf<R> full) {
  const bool fabric = is_fabric(c.tiers[i].kind);
  const std::int64_t depth = fabric ? tree_depth(children(g, i)) : chain_hops(c, g, i);
  const auto bytes = fabric && f.units[i] == 2 ? full : R(2) * full;
  const auto wire = bytes / channels_share(c, g, f, i, ring_efficiency<R>(c, i));
  pass_tier(clock, c, i, 2 * depth, wire);
}

struct Tree {
  static constexpr Algorithm id = Algorithm::tree;

  static constexpr bool has(CollectiveLibrary /*l*/) { return true; }

  // In one tier without a fabric, or blocks of it none of which reduces, a chain is no better than
  // a ring.
  static bool applies(const Cluster& c, const Fold& f) {
    if (is_fabric(c.tiers[f.outermost].kind)) return true;
    if (hops(f, f.outermost) == f.ranks - 1) return false;
    for (std::size_t i = 0; i <= f.outermost; ++i) {
      const bool is_part = whole_tier(c, i) == f.outermost;
      if (uses(f, i) && (!is_part || c.tiers[i].in_network_reduction)) return true;
    }
    return false;
  }

  template <Number R>
  static SecondsOf<R> time(const Cluster& c, const Group& g, const Fold& f, Collective /*kind*/,
                           BytesOf<R> full) {
    Clock<R> clock;
    for (std::size_t i = 0; i <= f.outermost; ++i) {
      if (!on_the_way(c, f, i)) continue;
      if (c.tiers[i].in_network_reduction && uses(f, i) && !are_two(c, f, i)) {
        pass_switch(clock, c, g, f, i, full);
      } else {
        pass_branches(clock, c, g, f, i, full);
      }
    }
    clock.ramp = larger(clock.ramp, named(R(4) * clock.latency, {"filling the pipeline", ""}));
    return named(total(clock), {"tree time", ""});
  }
};

}  // namespace orrery
