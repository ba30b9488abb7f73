// SPDX-License-Identifier: Apache-2.0
//
// A cluster's tiers as a table, and what a topology graph holds and carries.
#pragma once

#include <string>

#include "core/json.h"
#include "document/table.h"
#include "hardware/cluster.h"
#include "hardware/topology/graph.h"

namespace orrery {

Table tier_list(const Cluster& c);

struct GraphReport {
  std::string text;
  Json json;
};

// Vertices, links and cables; what crosses its middle; the slowest cut of groups of its GPUs.
GraphReport graph_report(const TopologyGraph& g);

}  // namespace orrery
