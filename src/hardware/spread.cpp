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
  c.tiers[node + 1].size = c.gpus;
  c.tiers[node + 1].bandwidth = c.tiers[node + 1].bandwidth * used;
  c.tiers[node + 1].rank_share = std::min(1.0, c.tiers[node + 1].rank_share / used);
  c.devices_per_node = share;
}

}  // namespace orrery
