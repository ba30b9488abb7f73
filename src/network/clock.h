// SPDX-License-Identifier: Apache-2.0
//
// The time of one collective from what it does in each tier,
//
//   t = launch + Σ steps·latency + w + √(ramp·w),   w = the largest of the tiers' wire times,
//
// as hardware/tier.h defines the constants. Tiers work at the same time, each on another part of
// the buffer, so the busiest link counts; steps follow one another, so their latencies add. Launch
// and ramp are the largest of the tiers in use, so that one more tier never makes a transfer
// shorter. Leaves out what other traffic than the group's own kind (its sharers) takes of a link.
// Errors: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/number.h"
#include "hardware/cluster.h"
#include "network/fold.h"
#include "orrery/quantity.h"

namespace orrery {

template <Number R>
struct Clock {
  SecondsOf<R> launch{};
  SecondsOf<R> latency{};
  SecondsOf<R> wire{};
  SecondsOf<R> ramp{};
};

// The group's rate on the link of this child into tier i, of which it can fill `most`.
template <Number R>
BytesPerSecondOf<R> link_share(const Cluster& c, const Group& g, std::size_t i, Child child,
                               R efficiency, double most = 1) {
  const int tier = static_cast<int>(i);
  const auto line =
      lift<R>(child.line, {"cluster.tiers.bandwidth", "one child, one direction", tier});
  if (g.fabric_share != 1 && is_fabric(c.tiers[i].kind)) {
    efficiency = efficiency * lift<R>(g.fabric_share, {"framework.network.fabric_share"});
  }
  const double filled = std::min(
      {most, filled_share(c.tiers[i], child.ranks), share_of_cards_left(c.tiers[i], g.sharers[i])});
  const auto shared = static_cast<double>(g.sharers[i]);
  if (filled * shared < 1) {  // fewer ranks, or channels, than it takes to fill the link
    const R part = lift<R>(filled, {"part of the link it can fill", "", tier});
    return named(line * (efficiency * part), {"bandwidth of a link the group gets", "", tier});
  }
  const R sharers = lift<R>(shared, {"groups that share the link", "", tier});
  return named(line * efficiency / sharers, {"bandwidth of a link the group gets", "", tier});
}

// The least rate of any child of tier i.
template <Number R>
BytesPerSecondOf<R> link_share(const Cluster& c, const Group& g, const Fold& f, std::size_t i,
                               R efficiency) {
  return link_share(c, g, i, last_child(c, g, f, i), efficiency);
}

// The same for a ring or a tree: each of its channels goes over one card.
template <Number R>
BytesPerSecondOf<R> channels_share(const Cluster& c, const Group& g, const Fold& f, std::size_t i,
                                   R efficiency) {
  return link_share(c, g, i, last_child(c, g, f, i), efficiency, c.tiers[i].channel_share);
}

template <Number R>
R ring_efficiency(const Cluster& c, std::size_t i) {
  return lift<R>(c.tiers[i].efficiency, {"cluster.tiers.efficiency", "", static_cast<int>(i)});
}

// The same of an all-to-all.
template <Number R>
R exchange_efficiency(const Cluster& c, const Group& g, std::size_t i) {
  const Tier& t = c.tiers[i];
  const int tier = static_cast<int>(i);
  const bool is_own = t.exchange_efficiency != 0 && t.exchange_efficiency != t.efficiency;
  const R reached =
      is_own ? lift<R>(t.exchange_efficiency, {"cluster.tiers.exchange_efficiency", "", tier})
             : ring_efficiency<R>(c, i);
  const double share = t.group_sizes == 0 ? 1 : exchange_share(t, siblings(c, g, i));
  if (share == 1) return reached;
  return reached * lift<R>(share, {"cluster.tiers.exchange_share", "", tier});
}

// The larger of two; an explanation leaves out the zero of what has not been counted yet.
template <Number R>
SecondsOf<R> raised(SecondsOf<R> a, SecondsOf<R> b) {
  if constexpr (std::same_as<R, Traced>) {
    if (plain(a) == Seconds()) return b;
  }
  return larger(a, b);
}

// `steps` one after another in tier i, in which the busiest link carries for `wire`.
template <Number R>
void pass_tier(Clock<R>& clock, const Cluster& c, std::size_t i, std::int64_t steps,
               SecondsOf<R> wire) {
  const Tier& t = c.tiers[i];
  const int tier = static_cast<int>(i);
  const R n = count<R>(steps, {"steps", "", tier});
  clock.latency += named(n * lift<R>(t.latency, {"cluster.tiers.latency", "", tier}),
                         {"steps × latency", "", tier});
  clock.wire = raised(clock.wire, named(wire, {"bytes on the wire / bandwidth", "", tier}));
  clock.launch = raised(clock.launch, lift<R>(t.launch, {"cluster.tiers.launch", "", tier}));
  clock.ramp = raised(clock.ramp, lift<R>(t.ramp, {"cluster.tiers.ramp", "", tier}));
}

template <Number R>
SecondsOf<R> total(const Clock<R>& clock) {
  const SecondsOf<R> ramping(root((clock.ramp * clock.wire).si()));
  return clock.launch + clock.latency + clock.wire + named(ramping, {"√(ramp × wire time)", ""});
}

}  // namespace orrery
