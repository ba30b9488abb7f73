// SPDX-License-Identifier: Apache-2.0
#include "hardware/node_fields.h"

#include <string>
#include <vector>

#include "core/error.h"
#include "hardware/device_reader.h"
#include "hardware/node_keys.h"
#include "hardware/tier_reader.h"
#include "hardware/topology/graph_fold.h"
#include "hardware/topology/graph_reader.h"
#include "hardware/topology/split.h"

namespace orrery {

constinit const KeyTable kNodeDocument = kNodeKeys;

namespace {

// The devices of a node are joined by one of the tiers, or the node is the whole cluster.
void check_node_size(const Reader& r, const Cluster& c) {
  if (c.tier_count == 1) return;
  std::vector<std::string> sizes;
  for (std::size_t i = 0; i + 1 < c.tier_count; ++i) {
    if (c.tiers[i].block) continue;
    if (c.tiers[i].size == c.devices_per_node) return;
    sizes.push_back(std::to_string(c.tiers[i].size));
  }
  if (c.devices_per_node == 1) return;
  r.fail("the size of an inner tier: " + alternatives(sizes));
}

// A graph is one unit of an inner tier, or all of the cluster.
void check_graph_size(const Reader& r, const Cluster& c, std::int64_t devices) {
  std::vector<std::string> sizes;
  bool fits = false;
  for (std::size_t i = 0; i + 1 < c.tier_count; ++i) {
    if (c.tiers[i].block) continue;
    sizes.push_back(std::to_string(c.tiers[i].size));
    fits = fits || c.tiers[i].size == devices;
  }
  const std::int64_t inside = c.tier_count == 1 ? 1 : c.tiers[c.tier_count - 2U].size;
  fits = fits || (devices >= c.gpus && devices % inside == 0);
  if (fits) return;
  sizes.push_back("at least the cluster's " + std::to_string(c.gpus) + ", in whole units of " +
                  std::to_string(inside));
  r.fail("a graph of " + std::to_string(devices) + " GPUs", alternatives(sizes));
}

// A graph whose shape has nodes of its own must have the cluster's.
void check_graph_nodes(Reader r, const Cluster& c) {
  const auto per_node = r.find("gpus_per_node");
  if (!per_node || per_node->integer(1, kMostPerNode) == c.devices_per_node) return;
  per_node->fail(std::to_string(c.devices_per_node) + ", the GPUs of a node of this cluster");
}

GraphFacts take_graph(const Reader& r, const Reader& tiers, const TopologyGraph& graph,
                      Cluster& c) {
  check_graph_nodes(r, c);
  Routes routes(graph);
  GraphFacts facts;
  facts.devices = static_cast<std::int64_t>(routes.device_count());
  check_graph_size(r, c, facts.devices);
  fold_onto(c, routes);
  for (std::size_t i = 0; i < c.tier_count; ++i) {
    Reader tier = tiers.items()[i];
    if (c.tiers[i].bandwidth > BytesPerSecond()) continue;
    if (!covers(c, facts.devices, i)) tier.at("bandwidth");
    tier.fail("a graph without a route between children of this tier",
              "one that needs no GPU on the way");
  }
  facts.notes = split_at_cuts(c, routes);
  return facts;
}

}  // namespace

Cluster read_node_fields(Reader& r, std::int64_t gpus, GraphFacts& facts) {
  Cluster c;
  c.node = read_heading(r, "custom");
  const Reader per_node = r.at("devices_per_node");
  c.devices_per_node = per_node.integer(1, kMostPerNode);
  c.gpus = gpus == 0 ? c.devices_per_node : gpus;
  const auto at_graph = r.find("graph");
  const Reader tiers = r.at("tiers");
  if (at_graph) {
    const TopologyGraph graph = read_graph(*at_graph);
    read_tiers(tiers, true, c);
    facts = take_graph(*at_graph, tiers, graph, c);
  } else {
    read_tiers(tiers, false, c);
  }
  check_node_size(per_node, c);
  read_known(kNodeKeys, r, c);
  return c;
}

}  // namespace orrery
