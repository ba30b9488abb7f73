// SPDX-License-Identifier: Apache-2.0
//
// The group of a collective benchmark: the same number of ranks on every node of a cluster, placed
// side by side, alone or among others of the same kind. Errors: none; the counts fit the cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hardware/cluster.h"
#include "network/group.h"

namespace orrery {

// Ranks of each node that take part: the devices of a node, or of the cluster where that is less.
std::int64_t most_ranks_per_node(const Cluster& c);

// `ranks_per_node` ranks of every node, while `groups` such groups, of other ranks of the same
// nodes, do the same at the same time. At most most_ranks_per_node() ranks together.
Group group_across(const Cluster& c, std::int64_t ranks_per_node, std::int64_t groups);

// Two neighbours of that group that meet in this tier, with as many such pairs as groups.
Group pair_across(const Cluster& c, std::int64_t ranks_per_node, std::int64_t groups,
                  std::size_t tier);

// The tiers in which neighbours of that group meet, innermost first.
std::vector<std::size_t> tiers_across(const Cluster& c, const Group& whole);

// Nodes filled with `ranks_per_node` each, and the ranks of one more. 0: none.
struct NodesFilled {
  std::int64_t full = 0;
  std::int64_t rest = 0;
};
NodesFilled nodes_filled(const Cluster& c, std::int64_t ranks_per_node);

}  // namespace orrery
