// SPDX-License-Identifier: Apache-2.0
#include "hardware/topology/graph_notes.h"

#include "core/units.h"
#include "hardware/topology/graph_fold.h"
#include "hardware/topology/graph_reader.h"

namespace orrery {
namespace {

constexpr double kSlack = 0.99;

// What crosses from half of m children to the others while all send to all at this rate each.
BytesPerSecond exchanged(BytesPerSecond rate, std::int64_t m) {
  const auto half = static_cast<double>(m / 2);
  return rate * (half * (static_cast<double>(m) - half) / static_cast<double>(m - 1));
}

}  // namespace

std::vector<std::string> graph_notes(const ResolvedCluster& c) {
  std::vector<std::string> notes;
  if (!c.node.contains("graph") || !c.node["graph"].is_object()) return notes;
  const TopologyGraph graph = read_graph(Reader(c.node["graph"], "", "cluster.graph"));
  Routes routes(graph);
  const auto devices = static_cast<std::int64_t>(routes.device_count());
  for (std::size_t i = 0; i < c.cluster.tier_count && covers(c.cluster, devices, i); ++i) {
    const std::int64_t inside = i == 0 ? 1 : c.cluster.tiers[i - 1].size;
    const bool last = i + 1U == c.cluster.tier_count;
    const std::int64_t size = last ? devices / inside * inside : c.cluster.tiers[i].size;
    if (size > devices || size < 2 * inside) continue;
    const BytesPerSecond half = half_to_half(routes, inside, size);
    const BytesPerSecond needed =
        exchanged(line_rate(c.cluster.tiers[i], size / inside), size / inside);
    if (half >= needed * kSlack) continue;
    notes.push_back("cluster.graph: half of tier " + std::string(c.cluster.tiers[i].name.view()) +
                    " reaches the other half at " + pretty(half) +
                    ", an all-to-all at the rate of " + "its links needs " + pretty(needed) +
                    "; it is estimated as over a crossbar of those links");
  }
  return notes;
}

}  // namespace orrery
