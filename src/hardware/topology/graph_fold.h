// SPDX-License-Identifier: Apache-2.0
//
// A topology graph as tiers: for units of a given size the rate of one child, by how many children
// talk.
//
// The rate is the slowest cut between one child and the other members of its group, over the links
// on the shortest routes between them (cut.h). The slowest group of m neighbouring children counts,
// and its slowest child. The rate never falls with m: more members have more routes. A tight cut
// inside the unit, which such a rate cannot express, becomes a tier of its own (split.h).
//
// If there are more than 8 groups, the first 8 and those with different surroundings are tried; if
// there are more than 16 children, those that differ in their links or their neighbours' (colour
// refinement, five rounds); in a graph of more than 4096 vertices only those. Errors: none; sizes
// divide the graph's devices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hardware/cluster.h"
#include "hardware/topology/routes.h"

namespace orrery {

struct GraphTier {
  std::vector<GroupBandwidth> rates;  // members rising, the last all children of a unit
  Seconds latency{};                  // of the links between neighbouring children, the longest
};

// Children of `inside` devices in units of `size`.
GraphTier graph_tier(Routes& routes, std::int64_t inside, std::int64_t size);

// All devices, in children of `inside` side by side.
std::vector<Part> children_of(const Routes& routes, std::int64_t inside);

// Groups of m children side by side in units of `fan`, of those alike a few.
std::vector<std::span<const Part>> unlike_groups(const Routes& routes,
                                                 const std::vector<Part>& children, std::size_t fan,
                                                 std::size_t m);

// From the first half of the devices to the second.
BytesPerSecond half_to_half(Routes& routes);

// Whether the graph says what tier i of the cluster carries.
bool covers(const Cluster& c, std::int64_t graph_devices, std::size_t i);

// Devices of a unit of tier i, of the last as many as the graph has in whole children.
std::int64_t unit_in(const Cluster& c, const Routes& routes, std::size_t i);

// Puts rates and latencies of the graph into one tier, and into all that it covers.
void fold_tier(Cluster& c, Routes& routes, std::size_t i);
void fold_onto(Cluster& c, Routes& routes);

}  // namespace orrery
