// SPDX-License-Identifier: Apache-2.0
#include "hardware/cluster_links.h"

namespace orrery {

Links links_of_tier(const Cluster& c, std::size_t tier) {
  const Tier& t = c.tiers[tier];
  const bool unknown_beyond_node = t.kind == TierKind::other && t.size > c.devices_per_node;
  return is_fabric(t.kind) || unknown_beyond_node ? Links::of_network : Links::of_chassis;
}

void scale_links(Cluster& c, Links which, double factor) {
  for (std::size_t i = 0; i < c.tier_count; ++i) {
    if (links_of_tier(c, i) != which) continue;
    Tier& t = c.tiers[i];
    t.bandwidth = t.bandwidth * factor;
    for (GroupBandwidth& g : t.group_bandwidth) g.bandwidth = g.bandwidth * factor;
  }
}

BytesPerSecond network_rate(const Cluster& c) {
  for (std::size_t i = 0; i < c.tier_count; ++i) {
    if (links_of_tier(c, i) == Links::of_network) return c.tiers[i].bandwidth;
  }
  return {};
}

std::optional<std::size_t> only_tier(const Cluster& c, Links which) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < c.tier_count; ++i) {
    if (links_of_tier(c, i) != which) continue;
    if (found) return {};
    found = i;
  }
  return found;
}

std::int64_t devices_within(const Cluster& c, const Name& tier) {
  for (std::size_t i = 0; i < c.tier_count; ++i) {
    if (c.tiers[i].name == tier) return c.tiers[i].size;
  }
  return 0;
}

}  // namespace orrery
