// SPDX-License-Identifier: Apache-2.0
//
// A job that does not fill its nodes uses the same number of devices of each.
//
// 256 GPUs in racks of 72 run as 64 on each of four racks, so that groups of a power of two stay
// inside a rack, as schedulers and launch scripts do; 1,024 on 16 racks, where 15 would do (MLPerf
// Training 5.0's largest run on GB200, 2,496 GPUs, is 39 times 64 [from memory]). The nodes are the
// fewest that hold the GPUs, if these divide evenly; else the fewest racks in which each share has
// whole hosts and no fewer GPUs than the largest power of two that a rack holds. Other conditions:
// a share consists of whole inner units, and only the last tier is above the node. Then a node uses
// the share's part of its network cards. Otherwise the last node is partial.
#pragma once

#include "hardware/cluster.h"

namespace orrery {

void spread_evenly(Cluster& c);

// The run uses `share` devices of each node. False where inner units or tiers above the node's
// fabric do not allow it, and the cluster is as before.
bool use_part_of_nodes(Cluster& c, std::int64_t share);

}  // namespace orrery
