// SPDX-License-Identifier: Apache-2.0
//
// One level of a cluster's network, as a plain value: NVLink in a node, the NICs between nodes.
//
// A unit of tier i holds `size` devices and consists of equal children: units of tier i − 1, or
// single devices if i = 0. `bandwidth` is the rate of ONE CHILD into the tier (and out of it) per
// direction: a GPU into its NVSwitch, a whole node into the fabric, that is the sum of its NICs,
// which all groups of the node share. A rank alone fills `rank_share` of it: its own card. The
// rings and trees of one collective fill at most `channel_share`: a card for each channel of the
// library. Where cards of a child have failed, a group goes over whole ones: as many as are left
// for each group, or one that as few groups as possible share.
//
// The constants belong to this time of a collective,
//
//   t = launch + steps·latency + w + √(ramp·w),   w = bytes on the wire/(bandwidth·efficiency),
//
// bytes on the wire counted per child, 2(n−1)/n·S of an all-reduce over n children in 2(n−1) steps.
// If tiers work at the same time, w, launch and ramp are the largest of those in use. The root is
// the overhead of a pipelined transfer with its best chunk: n stages and k chunks of S/k take (n +
// k)(α + S/(kB)), least for k = √(nS/(αB)). Fitted on measured curves it halves the error of a
// plain α-β line; ramp = 0 is that line.
//
// If links inside a tier carry less than a crossbar's, as between the quads of a hybrid cube mesh
// or along a ring, it contains a tier of `block`s: parts of the tier's unit behind a narrow cut,
// joined by that tier's own links. A child's rate then depends on the children in the whole unit,
// that of the next tier without blocks.
//
// Leaves out: paths inside a tier (a tier is a crossbar, except for `group_bandwidth` and blocks),
// routing, adaptive protocols. An all-to-all sends many small streams where a ring has one a card,
// and reaches `exchange_efficiency` of the line rate. Units: SI, per direction. Errors: none; read
// by hardware/cluster_reader.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/enum_names.h"
#include "hardware/name.h"
#include "orrery/quantity.h"

namespace orrery {

inline constexpr std::size_t kMaxTiers = 6;
inline constexpr std::size_t kMaxGroupSizes = 8;

enum class TierKind : std::uint8_t {
  nvswitch,
  nvlink_mesh,
  xgmi,
  pcie,
  socket,
  infiniband,
  roce,
  slingshot,
  omnipath,
  ethernet,
  efa,
  other,
};
constexpr EnumNames<TierKind> names_of(TierKind) {
  return {"nvswitch", "nvlink-mesh", "xgmi",     "pcie",     "socket", "infiniband",
          "roce",     "slingshot",   "omnipath", "ethernet", "efa",    "other"};
}

// Whether units of this kind are joined by network cards rather than inside one chassis.
constexpr bool is_fabric(TierKind k) {
  return k == TierKind::infiniband || k == TierKind::roce || k == TierKind::slingshot ||
         k == TierKind::omnipath || k == TierKind::ethernet || k == TierKind::efa;
}

// Rate of one child into a group of `members` children, if links join only partly.
struct GroupBandwidth {
  std::int64_t members = 0;
  BytesPerSecond bandwidth{};
  double exchange_share = 1;  // of it, what an all-to-all attains whose messages pass other members

  bool operator==(const GroupBandwidth&) const = default;
};

struct Tier {
  Name name;
  TierKind kind = TierKind::other;
  bool in_network_reduction = false;  // the switch adds: NVLS, SHARP
  bool block = false;                 // its units are parts of the next tier's; see above
  std::uint8_t group_sizes = 0;       // entries of group_bandwidth, members rising
  std::int64_t size = 0;              // devices in one unit; of the last tier all of the cluster
  BytesPerSecond bandwidth{};         // line rate of one child, per direction
  double efficiency = 1;              // of line rate, attained by large ring collectives
  double exchange_efficiency = 0;     // the same of an all-to-all; 0: `efficiency`
  double reduction_efficiency = 0;    // the same of an all-reduce in the switch; may exceed 1
  double pat_rate = 1;                // of a ring's rate, what PAT attains (network/pat.h)
  double rank_share = 1;              // of `bandwidth`, what one rank can fill: its network card's
  double channel_share = 1;           // of `bandwidth`, what rings and trees of one collective fill
  std::int64_t cards_failed = 0;      // of one child, each of `rank_share` (sim/fail.h)
  Seconds latency{};                  // of one step
  Seconds reduction_latency{};        // of an all-reduce in the switch, however many take part
  Seconds launch{};                   // of one collective
  Seconds ramp{};
  std::array<GroupBandwidth, kMaxGroupSizes> group_bandwidth{};

  bool operator==(const Tier&) const = default;
};

// A column of the tier's groups at `members` that talk: linear between the given sizes, `beyond`
// the last.
template <class T>
constexpr T at_group_size(const Tier& t, T GroupBandwidth::*column, std::int64_t members,
                          T beyond) {
  const auto& table = t.group_bandwidth;
  if (t.group_sizes == 0) return beyond;
  if (members <= table[0].members) return table[0].*column;
  for (std::size_t i = 1; i < t.group_sizes; ++i) {
    if (members > table[i].members) continue;
    const double part = static_cast<double>(members - table[i - 1].members) /
                        static_cast<double>(table[i].members - table[i - 1].members);
    return table[i - 1].*column + (table[i].*column - table[i - 1].*column) * part;
  }
  return beyond;
}

// Line rate of one child among `members` of its tier that talk: `bandwidth`, or where that depends
// on the group, what its size gets. Never falls with `members`.
constexpr BytesPerSecond line_rate(const Tier& t, std::int64_t members) {
  return at_group_size(t, &GroupBandwidth::bandwidth, members, t.bandwidth);
}

// The share of that rate that an all-to-all among them attains: on a torus its messages pass other
// members. Beyond the last size that of the last.
constexpr double exchange_share(const Tier& t, std::int64_t members) {
  if (t.group_sizes == 0) return 1;
  return at_group_size(t, &GroupBandwidth::exchange_share, members,
                       t.group_bandwidth[t.group_sizes - 1U].exchange_share);
}

// The share of a child's line rate that `ranks` of its devices can fill.
constexpr double filled_share(const Tier& t, std::int64_t ranks) {
  const double share = t.rank_share * static_cast<double>(ranks);
  return share < 1 ? share : 1;
}

// Cards of a child that have not failed; at least one.
constexpr std::int64_t cards_left(const Tier& t) {
  const auto cards = static_cast<std::int64_t>(1 / t.rank_share + 1e-9);
  return cards > t.cards_failed + 1 ? cards - t.cards_failed : 1;
}

// The most that one of `groups` which share a child's link gets of its line rate, with cards
// failed.
constexpr double share_of_cards_left(const Tier& t, std::int64_t groups) {
  if (t.cards_failed == 0) return 1;
  const std::int64_t left = cards_left(t);
  if (left >= groups) return t.rank_share * static_cast<double>(left / groups);
  return t.rank_share / static_cast<double>((groups + left - 1) / left);
}

}  // namespace orrery
