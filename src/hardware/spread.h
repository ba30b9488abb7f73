// SPDX-License-Identifier: Apache-2.0
//
// A job that does not fill its nodes uses the same number of devices of each.
//
// 256 GPUs in racks of 72 run as 64 on each of four racks, so that groups of a power of two stay
// inside a rack, as schedulers and launch scripts do. Conditions: the GPUs divide evenly over the
// fewest nodes, each node's share consists of whole inner units, and only the last tier is above
// the node. Then a node uses the share's part of its network cards. Otherwise the last node is
// partial.
#pragma once

#include "hardware/cluster.h"

namespace orrery {

void spread_evenly(Cluster& c);

}  // namespace orrery
