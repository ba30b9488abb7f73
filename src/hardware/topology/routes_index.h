// SPDX-License-Identifier: Apache-2.0
//
// Indices of vertices and arcs, for the parts of topology/routes.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hardware/topology/graph.h"

namespace orrery {

constexpr std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// The other end of an arc: 2l goes from a to b of link l, 2l + 1 back.
inline std::int32_t head_of(const TopologyGraph& g, std::int32_t arc) {
  const TopologyLink& l = g.links[at(arc / 2)];
  return arc % 2 == 0 ? l.b : l.a;
}

}  // namespace orrery
