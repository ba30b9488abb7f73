// SPDX-License-Identifier: Apache-2.0
#include "network/group_across.h"

#include <algorithm>
#include <cstddef>

#include "core/divide.h"
#include "network/fold.h"

namespace orrery {
namespace {

// The members among `ranks` in one unit of `size` devices.
std::int64_t ranks_in(const Cluster& c, std::int64_t size, std::int64_t ranks_per_node,
                      std::int64_t ranks) {
  const std::int64_t nodes = size / c.devices_per_node;
  const std::int64_t inside = nodes == 0 ? std::min(size, ranks_per_node) : nodes * ranks_per_node;
  return std::min(inside, ranks);
}

}  // namespace

std::int64_t most_ranks_per_node(const Cluster& c) { return std::min(c.devices_per_node, c.gpus); }

NodesFilled nodes_filled(const Cluster& c, std::int64_t ranks_per_node) {
  NodesFilled n{c.gpus / c.devices_per_node, std::min(c.gpus % c.devices_per_node, ranks_per_node)};
  if (n.rest == ranks_per_node) n = {n.full + 1, 0};
  return n;
}

Group group_across(const Cluster& c, std::int64_t ranks_per_node, std::int64_t groups) {
  Group g;
  const NodesFilled nodes = nodes_filled(c, ranks_per_node);
  g.ranks = nodes.full * ranks_per_node + nodes.rest;
  g.members.fill(g.ranks);
  for (std::size_t i = 0; i + 1 < c.tier_count; ++i) {
    g.members[i] = ranks_in(c, c.tiers[i].size, ranks_per_node, g.ranks);
  }
  for (std::size_t i = 1; i < c.tier_count; ++i) {
    const bool above_node = c.tiers[i - 1].size >= c.devices_per_node;
    const std::int64_t fit = divided_up(c.tiers[i - 1].size, members_below(g, i));
    g.sharers[i] = above_node ? groups : std::min(groups, fit);
  }
  return g;
}

std::vector<std::size_t> tiers_across(const Cluster& c, const Group& whole) {
  std::vector<std::size_t> tiers;
  if (whole.ranks < 2) return tiers;
  const Fold f = fold(c, whole, whole.ranks);
  for (std::size_t i = 0; i <= f.outermost; ++i) {
    if (uses(f, i)) tiers.push_back(i);
  }
  return tiers;
}

Group pair_across(const Cluster& c, std::int64_t ranks_per_node, std::int64_t groups,
                  std::size_t tier) {
  Group pair = group_across(c, ranks_per_node, groups);
  pair.ranks = 2;
  pair.members.fill(2);
  for (std::size_t i = 0; i < tier; ++i) pair.members[i] = 1;
  return pair;
}

}  // namespace orrery
