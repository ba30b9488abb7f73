// SPDX-License-Identifier: Apache-2.0
#include "hardware/spread.h"

#include <algorithm>

namespace orrery {

void spread_evenly(Cluster& c) {
  const std::int64_t nodes = node_count(c);
  if (c.gpus % c.devices_per_node == 0 || c.gpus % nodes != 0 || nodes == 1) return;
  const std::size_t node = tier_of(c, c.devices_per_node);
  if (node + 2 != c.tier_count || c.tiers[node].size != c.devices_per_node) return;
  const std::int64_t share = c.gpus / nodes;
  if (node > 0 && share % c.tiers[node - 1].size != 0) return;
  const double used = static_cast<double>(share) / static_cast<double>(c.devices_per_node);
  c.tiers[node].size = share;
  Tier& fabric = c.tiers[node + 1];
  fabric.size = c.gpus;
  fabric.bandwidth = fabric.bandwidth * used;
  fabric.rank_share = std::min(1.0, fabric.rank_share / used);
  fabric.channel_share = std::min(1.0, fabric.channel_share / used);
  c.devices_per_node = share;
}

}  // namespace orrery
