// SPDX-License-Identifier: Apache-2.0
// A cluster of round numbers, for times by hand: 8 devices a node at 100 GB/s each, nodes at 80
// GB/s, latency 1 and 10 us, launch 5 and 20 us, no ramp.
#pragma once

#include <doctest/doctest.h>

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
