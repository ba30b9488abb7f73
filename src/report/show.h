// SPDX-License-Identifier: Apache-2.0
//
// The answer of `show`: a document's values by their paths beside their sources, the operators of a
// run as one rank has them, a cluster's tiers, what a topology graph holds and carries.
#pragma once

#include <string>

#include "core/json.h"
#include "document/table.h"
#include "hardware/cluster.h"
#include "hardware/topology/graph.h"

namespace orrery {

struct Run;

Table value_list(const Json& document);

// The document's own `source`, or "".
std::string source_line(const Json& document);

Table operator_list(const Run& run);

Table tier_list(const Cluster& c);

struct GraphReport {
  std::vector<std::string> lines;
  Json json;
};

// Vertices, links and cables; what crosses its middle; the slowest cut of groups of its GPUs.
GraphReport graph_report(const TopologyGraph& g);

}  // namespace orrery
