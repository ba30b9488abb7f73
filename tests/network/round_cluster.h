// SPDX-License-Identifier: Apache-2.0
// A cluster of round numbers, for times by hand: 8 devices a node at 100 GB/s each, nodes at 80
// GB/s, latency 1 and 10 us, launch 5 and 20 us, no ramp.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hardware/cluster.h"
#include "network/collective_cost.h"
#include "support/about.h"

namespace orrery::testing {

inline constexpr double kUs = 1e-6;

inline Tier tier_of(TierKind kind, std::int64_t size, double rate, double latency, double launch) {
  Tier t;
  t.kind = kind;
  t.size = size;
  t.bandwidth = BytesPerSecond(rate);
  t.latency = Seconds(latency * kUs);
  t.launch = Seconds(launch * kUs);
  return t;
}

inline Cluster round_cluster() {
  Cluster c;
  c.tier_count = 2;
  c.tiers[0] = tier_of(TierKind::nvswitch, 8, 100e9, 1, 5);
  c.tiers[1] = tier_of(TierKind::infiniband, 8 * 1024, 80e9, 10, 20);
  c.gpus = 8 * 1024;
  c.devices_per_node = 8;
  return c;
}

// The same in racks of four nodes: 80 GB/s into the rack's switch, 400 GB/s of a rack into the
// fabric, whose step takes 30 us.
inline Cluster racks() {
  Cluster c = round_cluster();
  c.tier_count = 3;
  c.tiers[2] = tier_of(TierKind::infiniband, 8 * 1024, 400e9, 30, 40);
  c.tiers[1].size = 32;
  return c;
}

// Ranks placed side by side from the first device on, all of a node's.
inline Group side_by_side(const Cluster& c, std::int64_t ranks) {
  Group g;
  g.ranks = ranks;
  g.members.fill(ranks);
  for (std::size_t i = 0; i + 1 < c.tier_count; ++i)
    g.members[i] = std::min(ranks, c.tiers[i].size);
  return g;
}

// Two quads of GPUs behind a narrow cut, as in a hybrid cube mesh: 100 GB/s a GPU among four, 150
// among eight, 150 GB/s of one quad into the other.
inline Cluster two_quads() {
  Cluster c;
  c.tier_count = 2;
  c.tiers[0] = tier_of(TierKind::nvlink_mesh, 4, 150e9, 1, 0);
  c.tiers[0].block = true;
  c.tiers[0].group_sizes = 2;
  c.tiers[0].group_bandwidth[0] = {4, BytesPerSecond(100e9)};
  c.tiers[0].group_bandwidth[1] = {8, BytesPerSecond(150e9)};
  c.tiers[1] = tier_of(TierKind::nvlink_mesh, 8, 150e9, 1, 0);
  c.gpus = c.devices_per_node = 8;
  return c;
}

inline Group group_over(std::int64_t nodes, std::int64_t per_node, std::int64_t sharers = 1) {
  Group g;
  g.ranks = nodes * per_node;
  g.members.fill(g.ranks);
  g.members[0] = per_node;
  g.sharers[1] = sharers;
  return g;
}

inline double us_by(Algorithm a, const Cluster& c, const Group& g, Collective kind, double bytes) {
  REQUIRE(applies(a, c, g, kind));
  return collective_cost_by(a, c, g, kind, Bytes(bytes)).time.si() / kUs;
}

inline doctest::Approx near(double us) { return testing::about(us).epsilon(1e-12); }

}  // namespace orrery::testing
