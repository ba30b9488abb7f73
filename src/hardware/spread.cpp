// SPDX-License-Identifier: Apache-2.0
#include "hardware/spread.h"

#include <algorithm>
#include <bit>

namespace orrery {
namespace {

// Nodes that take the same number of devices each; 0: none.
std::int64_t even_nodes(const Cluster& c) {
  const std::int64_t fewest = node_count(c);
  if (c.gpus % fewest == 0) return fewest;
  if (!is_rack(c)) return 0;
  const auto power =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(c.devices_per_node)));
  for (std::int64_t n = fewest + 1; n * power <= c.gpus; ++n) {
    if (c.gpus % n == 0 && c.gpus / n % devices_of_system(c) == 0) return n;
  }
  return 0;
}

}  // namespace

bool use_part_of_nodes(Cluster& c, std::int64_t share) {
  const std::size_t node = tier_of(c, c.devices_per_node);
  if (node + 2 != c.tier_count || c.tiers[node].size != c.devices_per_node) return false;
  if (node > 0 && share % c.tiers[node - 1].size != 0) return false;
  const double used = static_cast<double>(share) / static_cast<double>(c.devices_per_node);
  c.tiers[node].size = share;
  Tier& fabric = c.tiers[node + 1];
  fabric.size = c.gpus;
  fabric.bandwidth = fabric.bandwidth * used;
  fabric.rank_share = std::min(1.0, fabric.rank_share / used);
  fabric.channel_share = std::min(1.0, fabric.channel_share / used);
  c.node_devices = c.devices_per_node;
  c.devices_per_node = share;
  return true;
}

void spread_evenly(Cluster& c) {
  if (c.gpus % c.devices_per_node == 0 || node_count(c) == 1) return;
  const std::int64_t nodes = even_nodes(c);
  if (nodes > 0) use_part_of_nodes(c, c.gpus / nodes);
}

}  // namespace orrery
