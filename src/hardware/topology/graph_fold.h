// SPDX-License-Identifier: Apache-2.0
//
// A topology graph as tiers: for units of a given size the rate of one child, by how many children
// talk.
//
// That rate is the slowest cut between one child and the other members of its group, over the links
// on the shortest routes between them (cut.h). Of the groups of m children side by side the slowest
// counts, and of its children the slowest. It never falls with m: more members, more routes. What a
// tier cannot say is kept beside it: `bisection`, what crosses from the first half of a unit to the
// second, is less than a crossbar's in a ring, a torus or a hybrid cube mesh.
//
// Of more than 64 groups the first 64 and those with another surrounding are tried; of more than 16
// children those that differ in their links or their neighbours' (colour refinement, five rounds).
// Errors: none; sizes divide the graph's devices.
#pragma once

#include <cstdint>
#include <vector>

#include "hardware/cluster.h"
#include "hardware/topology/routes.h"

namespace orrery {

struct GraphTier {
  std::vector<GroupBandwidth> rates;  // members rising, the last all children of a unit
  BytesPerSecond bisection{};
  Seconds latency{};  // of the links between neighbouring children, the longest
};

// Children of `inside` devices in units of `size`.
GraphTier graph_tier(Routes& routes, std::int64_t inside, std::int64_t size);

// From the first half of the first unit's children to the second.
BytesPerSecond half_to_half(Routes& routes, std::int64_t inside, std::int64_t size);

// Whether the graph says what tier i of the cluster carries.
bool covers(const Cluster& c, std::int64_t graph_devices, std::size_t i);

// Puts rates and latencies of the graph into the tiers it covers.
void fold_onto(Cluster& c, Routes& routes);

}  // namespace orrery
