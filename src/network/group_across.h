// SPDX-License-Identifier: Apache-2.0
//
// The group of a collective benchmark: the same number of ranks on every node of a cluster, placed
// side by side, alone or among others of the same kind.
#pragma once

#include <cstdint>

#include "hardware/cluster.h"
#include "network/group.h"

namespace orrery {

// Ranks of each node that take part: the devices of a node, or of the cluster where that is less.
std::int64_t most_ranks_per_node(const Cluster& c);

// `ranks_per_node` ranks of every node, while `groups` such groups, of other ranks of the same
// nodes, do the same at the same time. At most most_ranks_per_node() ranks together.
Group group_across(const Cluster& c, std::int64_t ranks_per_node, std::int64_t groups);

// The two neighbours of that group that lie farthest apart, with as many such pairs as groups.
Group pair_across(const Cluster& c, std::int64_t ranks_per_node, std::int64_t groups);

}  // namespace orrery
