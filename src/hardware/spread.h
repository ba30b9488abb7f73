// SPDX-License-Identifier: Apache-2.0
//
// A job that does not fill its nodes takes as many devices of each.
//
// 256 GPUs of racks that join 72 run as 64 on each of four racks, so that groups of a power of two
// stay inside a rack; schedulers and launch scripts do so. Holds where the GPUs divide evenly over
// the fewest nodes, each node's share is made of whole inner units, and only the last tier lies
// above the node. The share's part of the node's network cards is used. Otherwise the last node is
// partial.
#pragma once

#include "hardware/cluster.h"

namespace orrery {

void spread_evenly(Cluster& c);

}  // namespace orrery
