// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic and copies in the switches (NVLink SHARP in a node, SHARP between nodes). In an
// all-reduce every link carries S each way. The attained rate is given as that of a ring of the
// same time (`reduction_efficiency`, a busbw over the line rate), so it may exceed 1; never is S
// sent faster than the line rate. In an all-gather every rank still receives what the others have,
// and in a reduce-scatter sends it, as in a ring and at a ring's efficiency. The latency is one
// number however many take part: up to the switch and down (NVIDIA/nccl@5067397c
// src/graph/tuning.cc gives NVLS one hop). Leaves out that it grows a little with the ranks. Serves
// groups whose tiers all reduce; NCCL needs more than two ranks in a node for it (src/transport/
// nvls.cc returns without NVLS where gpuCount <= 2 [from memory]). Errors: none.
#pragma once

#include <cstddef>

#include "network/clock.h"
#include "network/collective.h"
#include "network/volume.h"

namespace orrery {

template <Number R>
void to_switch_and_back(Clock<R>& clock, const Cluster& c, std::size_t i, SecondsOf<R> wire) {
  pass_tier(clock, c, i, 0, wire);
  clock.latency += lift<R>(c.tiers[i].reduction_latency,
                           {"cluster.tiers.reduction_latency", "", static_cast<int>(i)});
}

template <Number R>
void pass_switch(Clock<R>& clock, const Cluster& c, const Group& g, const Fold& f, std::size_t i,
                 BytesOf<R> full) {
  const R attained = lift<R>(c.tiers[i].reduction_efficiency,
                             {"cluster.tiers.reduction_efficiency", "", static_cast<int>(i)});
  const auto as_ring = bytes_on_wire(Collective::all_reduce, g.members[i], full);
  const auto wire =
      larger(full / link_share(c, g, f, i, R(1)), as_ring / link_share(c, g, f, i, attained));
  to_switch_and_back(clock, c, i, wire);
}

// The bytes that every rank receives from, or gives to, the others.
template <Number R>
void pass_copies(Clock<R>& clock, const Cluster& c, const Group& g, const Fold& f, std::size_t i,
                 BytesOf<R> full) {
  const auto wire = others_part(full, f.ranks) / link_share(c, g, f, i, ring_efficiency<R>(c, i));
  to_switch_and_back(clock, c, i, wire);
}

// Links of a block that no two members meet in.
constexpr bool only_passed(const Cluster& c, const Fold& f, std::size_t i) {
  return !uses(f, i) && !is_fabric(c.tiers[i].kind);
}

// Ranks of the group in a full unit of tier i, where some meet there.
constexpr std::int64_t meeting_in(const Fold& f, std::size_t i) {
  return units_filled(f.ranks, f.units[i + 1]);
}

// True if tier i is no fabric and its units join no more than two ranks.
constexpr bool are_two(const Cluster& c, const Fold& f, std::size_t i) {
  return uses(f, i) && !is_fabric(c.tiers[i].kind) && meeting_in(f, i) <= 2;
}

// NCCL's rings serve two ranks that meet in a node.
constexpr bool too_few_for_nccl(const Cluster& c, const Fold& f, std::size_t i) {
  return c.library == CollectiveLibrary::nccl && are_two(c, f, i);
}

struct InSwitch {
  static constexpr Algorithm id = Algorithm::in_switch;

  static constexpr bool has(CollectiveLibrary /*l*/) { return true; }
  static bool applies(const Cluster& c, const Fold& f) {
    for (std::size_t i = 0; i <= f.outermost; ++i) {
      if (!on_the_way(c, f, i) || only_passed(c, f, i)) continue;
      if (!c.tiers[i].in_network_reduction || too_few_for_nccl(c, f, i)) return false;
    }
    return true;
  }

  template <Number R>
  static SecondsOf<R> time(const Cluster& c, const Group& g, const Fold& f, Collective kind,
                           BytesOf<R> full) {
    Clock<R> clock;
    for (std::size_t i = 0; i <= f.outermost; ++i) {
      if (!on_the_way(c, f, i)) continue;
      if (only_passed(c, f, i)) {
        const auto bytes = kind == Collective::all_reduce ? full : others_part(full, f.ranks);
        pass_tier(clock, c, i, 0, bytes / link_share(c, g, f, i, ring_efficiency<R>(c, i)));
      } else if (kind == Collective::all_reduce) {
        pass_switch(clock, c, g, f, i, full);
      } else {
        pass_copies(clock, c, g, f, i, full);
      }
    }
    return named(total(clock), {"in-switch time", ""});
  }
};

}  // namespace orrery
