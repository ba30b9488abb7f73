// SPDX-License-Identifier: Apache-2.0
// Seconds of processor time and memory it takes to route all GPUs of large networks to all others
// and to fold them into tiers. Aim: 10,000 GPUs routed in 1 s and 500 MB. "In all" is without the
// queries.
#include <sys/resource.h>

#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "core/json.h"
#include "hardware/topology/graph_fold.h"
#include "hardware/topology/graph_reader.h"
#include "hardware/topology/split.h"

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
    const std::clock_t now = std::clock();
    const double spent = static_cast<double>(now - start_) / CLOCKS_PER_SEC;
    start_ = now;
    return spent;
  }

 private:
  std::clock_t start_ = std::clock();
};

std::vector<Part> nodes_of(std::size_t devices, std::size_t per_node) {
  std::vector<Part> nodes(devices / per_node);
  for (std::size_t d = 0; d < devices; ++d) {
    nodes[d / per_node].push_back(static_cast<std::int32_t>(d));
  }
  return nodes;
}

Cluster tiers_of(std::int64_t per_node, std::int64_t per_unit, std::int64_t gpus) {
  Cluster c;
  c.tier_count = 3;
  c.tiers[0].size = per_node;
  c.tiers[1].size = per_unit;
  c.tiers[2].size = gpus;
  c.gpus = gpus;
  return c;
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
  watch.seconds();
  Cluster c = tiers_of(per_node, per_unit, n);
  Routes fresh(g);
  fold_onto(c, fresh);
  const double folded = watch.seconds();
  const std::size_t notes = split_at_cuts(c, fresh).size();
  const double split = watch.seconds();
  double links = 0;
  for (const double load : used) links += load > 0 ? 1 : 0;
  std::printf(
      "%-12s %6d GPUs %7zu vertices %7zu links: built %.3f s, routed %.3f s (%.0f of %zu arcs), "
      "%.0f MB; %.0f ns a cached route (mean %.2f hops); folded %.3f s, cuts looked for %.3f s, "
      "%.0f MB: %d tiers, "
      "%zu slowed; in all %.3f s\n",
      name.c_str(), n, g.vertices.size(), g.links.size(), built, routed, links, used.size(),
      routed_mb, asked / kQueries * 1e9, static_cast<double>(sum) / kQueries, folded, split,
      peak_mb(), static_cast<int>(c.tier_count), notes, built + routed + folded + split);
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
