// SPDX-License-Identifier: Apache-2.0
// Seconds and memory it takes to route all GPUs of large networks to all others and to fold them
// into tiers. Aim: 10,000 GPUs routed in 1 s and 500 MB.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "core/json.h"
#include "hardware/topology/graph_fold.h"
#include "hardware/topology/graph_reader.h"

using namespace orrery;

namespace {

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

class Watch {
 public:
  double seconds() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> spent = now - start_;
    start_ = now;
    return spent.count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::vector<Part> nodes_of(std::size_t devices, std::size_t per_node) {
  std::vector<Part> nodes(devices / per_node);
  for (std::size_t d = 0; d < devices; ++d) {
    nodes[d / per_node].push_back(static_cast<std::int32_t>(d));
  }
  return nodes;
}

void measure(const std::string& name, const std::string& text, std::int64_t per_node,
             std::int64_t per_unit) {
  const Json document = parse_json(text, name);
  Watch watch;
  const TopologyGraph g = read_graph(Reader(document, name));
  const double built = watch.seconds();
  Routes routes(g);
  const std::vector<Part> nodes =
      nodes_of(routes.device_count(), static_cast<std::size_t>(per_node));
  const ArcLoads used = routes.arcs_between(nodes);
  const double routed = watch.seconds();
  std::int64_t sum = 0;
  const auto n = static_cast<std::int32_t>(routes.device_count());
  constexpr int kQueries = 200'000;
  for (int i = 0; i < kQueries; ++i) sum += routes.hops(i % n, (i * 7919 + 13) % n);
  const double asked = watch.seconds();
  const double routed_mb = peak_mb();
  graph_tier(routes, per_node, per_unit);
  const GraphTier all = graph_tier(routes, per_unit, n / per_unit * per_unit);
  const double folded = watch.seconds();
  double links = 0;
  for (const double load : used) links += load > 0 ? 1 : 0;
  std::printf(
      "%-12s %6d GPUs %7zu vertices %7zu links: built %.3f s, routed %.3f s (%.0f of %zu arcs), "
      "%.0f MB; %.0f ns a cached route (mean %.2f hops); folded %.3f s, %.0f MB (%.0f GB/s)\n",
      name.c_str(), n, g.vertices.size(), g.links.size(), built, routed, links, used.size(),
      routed_mb, asked / kQueries * 1e9, static_cast<double>(sum) / kQueries, folded, peak_mb(),
      all.rates.back().bandwidth.si() / 1e9);
}

}  // namespace

int main() {
  const std::string nodes =
      R"("gpus_per_node": 8, "cards": 8, "node_link": "450 GB/s", "card_link": "50 GB/s")";
  measure(
      "fat-tree",
      R"({"kind": "fat-tree", "nodes": 1280, "radix": 64, "rails": 8, "oversubscription": 2, )" +
          nodes + "}",
      8, 256);
  measure("dragonfly",
          R"({"kind": "dragonfly", "nodes": 1280, "nodes_per_group": 128, "switches": 32,
              "taper": 1.753, "local_link": "100 GB/s", )" +
              nodes + "}",
          8, 1024);
  measure("torus", R"({"kind": "torus", "sides": [22, 22, 22], "link": "100 GB/s"})", 22, 484);
  return 0;
}
