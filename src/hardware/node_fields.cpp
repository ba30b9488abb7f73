// SPDX-License-Identifier: Apache-2.0
#include "hardware/node_fields.h"

#include <string>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "hardware/device_reader.h"
#include "hardware/tier_reader.h"
#include "hardware/topology/graph_fold.h"
#include "hardware/topology/graph_reader.h"
#include "hardware/topology/inner_cut.h"

namespace orrery {
namespace {

constexpr Dimension kRate = kBytes - kSeconds;
constexpr Dimension kPower = kJoules - kSeconds;

Host read_host(Reader r) {
  Host host;
  host.memory_capacity = r.at("memory_capacity").quantity<kBytes>();
  host.memory_bandwidth = r.at("memory_bandwidth").quantity<kRate>();
  r.reject_unknown();
  return host;
}

Nvme read_nvme(Reader r) {
  Nvme nvme;
  nvme.read = r.at("read").quantity<kRate>();
  nvme.write = r.at("write").quantity<kRate>();
  r.reject_unknown();
  return nvme;
}

// What joins the devices of a node is one of the tiers, or else all there is.
void check_node_size(const Reader& r, const Cluster& c) {
  if (c.tier_count == 1) return;
  std::vector<std::string> sizes;
  for (std::size_t i = 0; i + 1 < c.tier_count; ++i) {
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

// The rates of the shipped one are those of measured nodes; graph_notes() says what it lacks.
bool may_lack_exchange(const Reader& graph) {
  const Json& j = graph.json();
  return j.contains("kind") && j["kind"] == "hybrid-cube-mesh";
}

std::string sides_of(const InnerCut& cut) {
  if (cut.side == 0) return "between two of its children";
  return "between " + std::to_string(cut.side) + " and " + std::to_string(cut.others) +
         " of its children";
}

[[noreturn]] void refuse_cut(const Reader& r, const Tier& t, const InnerCut& cut) {
  r.fail("a cut of " + pretty(cut.bandwidth) + " inside tier " + std::string(t.name.view()) + ", " +
             sides_of(cut),
         "at least the " + pretty(cut.needed) +
             " their links need there, or one more tier at the cut: inner bottlenecks are not "
             "modelled");
}

// A tier is a crossbar: a graph that carries less inside would be priced too fast.
void check_inner_cuts(const Reader& r, const Cluster& c, Routes& routes) {
  const auto devices = static_cast<std::int64_t>(routes.device_count());
  for (std::size_t i = 0; i < c.tier_count && covers(c, devices, i); ++i) {
    const std::int64_t inside = i == 0 ? 1 : c.tiers[i - 1].size;
    const bool last = i + 1U == c.tier_count;
    const std::int64_t size = last ? devices / inside * inside : c.tiers[i].size;
    if (size < 2 * inside) continue;
    const BytesPerSecond rate = line_rate(c.tiers[i], size / inside);
    if (auto cut = cut_below_a_ring(routes, inside, size, rate)) refuse_cut(r, c.tiers[i], *cut);
    if (may_lack_exchange(r)) continue;
    if (auto cut = cut_below_an_exchange(routes, inside, size, rate)) {
      refuse_cut(r, c.tiers[i], *cut);
    }
  }
}

void take_graph(const Reader& r, const Reader& tiers, const TopologyGraph& graph, Cluster& c) {
  check_graph_size(r, c, static_cast<std::int64_t>(devices_of(graph).size()));
  Routes routes(graph);
  fold_onto(c, routes);
  for (std::size_t i = 0; i < c.tier_count; ++i) {
    Reader tier = tiers.items()[i];
    if (c.tiers[i].bandwidth > BytesPerSecond()) continue;
    if (!covers(c, static_cast<std::int64_t>(routes.device_count()), i)) tier.at("bandwidth");
    tier.fail("a graph without a route between children of this tier",
              "one that needs no GPU on the way");
  }
  check_inner_cuts(r, c, routes);
}

}  // namespace

Cluster read_node_fields(Reader& r, std::int64_t gpus) {
  Cluster c;
  c.node = read_heading(r, "custom");
  const Reader per_node = r.at("devices_per_node");
  c.devices_per_node = per_node.integer(1, 1'000'000);
  c.gpus = gpus == 0 ? c.devices_per_node : gpus;
  const auto at_graph = r.find("graph");
  const Reader tiers = r.at("tiers");
  if (at_graph) {
    const TopologyGraph graph = read_graph(*at_graph);
    read_tiers(tiers, true, c);
    take_graph(*at_graph, tiers, graph, c);
  } else {
    read_tiers(tiers, false, c);
  }
  check_node_size(per_node, c);
  if (auto host = r.find("host")) c.host = read_host(*host);
  if (auto nvme = r.find("nvme")) c.nvme = read_nvme(*nvme);
  if (auto power = r.find("power")) c.node_power = power->quantity<kPower>();
  r.allow("device");
  r.allow("fabric");
  return c;
}

}  // namespace orrery
