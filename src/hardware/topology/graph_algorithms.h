// SPDX-License-Identifier: Apache-2.0
//
// Shortest paths, components and largest flows on the links of a network, by Boost.Graph. Only the
// source of this header includes Boost.
//
// Every hop counts alike, so paths are found breadth first and not by Dijkstra's algorithm. Flows
// are found by the algorithm of Boykov and Kolmogorov (IEEE PAMI 26, 2004): Boost's push-relabel
// wants two more arcs for a link that carries something both ways. Leaves out: which path, which
// arcs of the cut. Errors: none; no exception of Boost's can occur.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hardware/topology/arc_graph.h"

namespace orrery {

inline constexpr std::int32_t kUnreached = -1;

// Hops of every vertex from the nearest of `starts`; kUnreached where no path is.
std::vector<std::int32_t> hops_from(const ArcGraph& g, std::span<const std::int32_t> starts);

// The component of every vertex, numbered from 0.
std::vector<std::int32_t> components_of(const ArcGraph& g);

// The largest flow from one vertex to another, which is the least cut between them. Capacities are
// by arc, in bytes a second; those of all arcs together fit into an integer. No link leads from a
// vertex to itself: Boost's search would not end.
std::int64_t largest_flow(const ArcGraph& g, std::span<const std::int64_t> capacities,
                          std::int32_t source, std::int32_t sink);

}  // namespace orrery
