// SPDX-License-Identifier: Apache-2.0
//
// Clusters and groups at random, for properties that must hold on any of them: 1 to 4 tiers, of
// which the inner ones join inside a node and the outer ones are fabrics, with rates, latencies and
// sizes over several orders of magnitude.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

#include "hardware/cluster.h"
#include "network/group.h"

namespace orrery::testing {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  double magnitude(double low, double high) {
    return std::exp(real(std::log(low), std::log(high)));
  }
  bool chance(double p) { return real(0, 1) < p; }

 private:
  std::mt19937_64 engine_;
};

inline Tier random_tier(Dice& dice, bool fabric) {
  Tier t;
  t.kind = fabric ? TierKind::infiniband : TierKind::nvswitch;
  t.bandwidth = BytesPerSecond(dice.magnitude(1e9, 2e12));
  t.efficiency = dice.real(0.2, 1.0);
  t.in_network_reduction = dice.chance(0.3);
  t.reduction_efficiency = t.in_network_reduction ? dice.real(0.5, 1.3) : 0;
  t.latency = Seconds(dice.magnitude(1e-7, 1e-4));
  t.reduction_latency = Seconds(dice.magnitude(1e-7, 1e-4));
  if (fabric && dice.chance(0.5)) t.rank_share = 1.0 / static_cast<double>(dice.integer(1, 16));
  t.launch = Seconds(dice.magnitude(1e-6, 1e-4));
  t.ramp = Seconds(dice.chance(0.3) ? 0 : dice.magnitude(1e-7, 1e-4));
  return t;
}

inline Cluster random_cluster(Dice& dice) {
  Cluster c;
  c.tier_count = static_cast<std::uint8_t>(dice.integer(1, 4));
  c.library = static_cast<CollectiveLibrary>(dice.integer(0, 2));
  const std::int64_t inside = dice.integer(1, 2);
  std::int64_t size = 1;
  for (std::size_t i = 0; i < c.tier_count; ++i) {
    c.tiers[i] = random_tier(dice, static_cast<std::int64_t>(i) >= inside);
    size *= dice.integer(2, 12);
    c.tiers[i].size = size;
  }
  if (dice.chance(0.3)) {
    Tier& t = c.tiers[0];
    t.group_sizes = 2;
    t.group_bandwidth[0] = {2, t.bandwidth / 6.0};
    t.group_bandwidth[1] = {t.size + 1, t.bandwidth};
  }
  // Blocks inside the tier of a node, not inside a fabric.
  c.tiers[0].block = inside == 2 && c.tier_count > 2 && dice.chance(0.4);
  c.gpus = size;
  c.devices_per_node = c.tiers[0].size;
  return c;
}

// `children[i]` members of the group's unit of tier i, of any number that fits.
inline Group group_of(const Cluster& c, const std::array<std::int64_t, kMaxTiers>& children) {
  Group g;
  for (std::size_t i = 0; i < kMaxTiers; ++i) {
    if (i < c.tier_count) g.ranks *= children[i];
    g.members[i] = g.ranks;
  }
  return g;
}

inline std::array<std::int64_t, kMaxTiers> random_children(Dice& dice, const Cluster& c) {
  std::array<std::int64_t, kMaxTiers> children{1, 1, 1, 1, 1, 1};
  for (std::size_t i = 0; i < c.tier_count; ++i) {
    if (!dice.chance(0.25)) children[i] = dice.integer(1, fan_out(c, i));
  }
  return children;
}

inline std::array<std::int64_t, kMaxTiers> random_sharers(Dice& dice) {
  std::array<std::int64_t, kMaxTiers> sharers{1, 1, 1, 1, 1, 1};
  for (auto& s : sharers) s = dice.chance(0.5) ? 1 : dice.integer(1, 16);
  return sharers;
}

}  // namespace orrery::testing
