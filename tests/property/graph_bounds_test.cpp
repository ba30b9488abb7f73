// SPDX-License-Identifier: Apache-2.0
// A topology as tiers and as a graph: the same least time of every collective, and rings laid over
// the routes of the graph reach what the tiers say.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "hardware/hardware_files.h"
#include "hardware/topology/graph_reader.h"
#include "hardware/topology/routes.h"
#include "network/cut_bound.h"
#include "support/about.h"

using namespace orrery;

namespace {

struct Both {
  const char* graph;
  const char* node;
};

constexpr Both kShipped[] = {{"dgx-1-v100", "dgx-1-v100-16gb"},
                             {"dgx-1-v100", "p3-16xlarge-v100-16gb"},
                             {"dgx-2-v100", "dgx-2-v100-32gb"},
                             {"dgx-a100", "dgx-a100-80gb"},
                             {"dgx-h100", "dgx-h100"},
                             {"dgx-h100", "hgx-h200"},
                             {"hgx-b200", "hgx-b200"},
                             {"gb200-nvl72", "gb200-nvl72"},
                             {"jean-zay-v100", "jean-zay-v100-32gb"},
                             {"alps-gh200", "alps-gh200"},
                             {"mi300x-oam", "mi300x-oam-8"},
                             {"mi355x-oam", "mi355x-oam-8"},
                             {"lassen", "lassen"},
                             {"summit", "summit"},
                             {"h100-nvl", "h100-nvl"},
                             {"a100-pcie", "a100-pcie-80gb"}};

Group first_ranks(const Cluster& c, std::int64_t n) {
  Group g;
  g.ranks = n;
  g.members.fill(n);
  for (std::size_t i = 0; i < c.tier_count; ++i) g.members[i] = std::min(n, c.tiers[i].size);
  return g;
}

// Cables between the devices `from` and on of a graph that links them to each other, in bytes a
// second; 0 where none is.
std::vector<double> direct_links(const TopologyGraph& g, std::int32_t from, std::int32_t m) {
  const std::vector<std::int32_t> vertices = devices_of(g);
  const auto index = [&](std::int32_t v) {
    for (std::int32_t i = 0; i < m; ++i) {
      if (vertices[static_cast<std::size_t>(from) + static_cast<std::size_t>(i)] == v) return i;
    }
    return -1;
  };
  const auto width = static_cast<std::size_t>(m);
  std::vector<double> rate(width * width, 0);
  for (const TopologyLink& l : g.links) {
    const std::int32_t a = index(l.a);
    const std::int32_t b = index(l.b);
    if (a < 0 || b < 0) continue;
    const double r = l.bandwidth.si() * static_cast<double>(l.count);
    rate[static_cast<std::size_t>(a) * width + static_cast<std::size_t>(b)] += r;
    rate[static_cast<std::size_t>(b) * width + static_cast<std::size_t>(a)] += r;
  }
  return rate;
}

std::vector<std::vector<std::size_t>> rings_of(const std::vector<double>& rate, std::size_t m) {
  std::vector<std::vector<std::size_t>> rings;
  std::vector<std::size_t> order(m);
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    std::vector<std::size_t> arcs;
    for (std::size_t i = 0; i < m; ++i) {
      const std::size_t arc = order[i] * m + order[(i + 1) % m];
      if (rate[arc] > 0) arcs.push_back(arc);
    }
    if (arcs.size() == m) rings.push_back(arcs);
  } while (std::next_permutation(order.begin() + 1, order.end()));
  return rings;
}

// Total rate of rings over direct links, packed until their busiest link is full; the next ring is
// always the one over the least used links (Garg and Koenemann, SIAM J. Comput. 37, 2007).
double packed_rings(const std::vector<double>& rate, std::size_t m) {
  const auto rings = rings_of(rate, m);
  if (rings.empty()) return 0;
  std::vector<double> used(rate.size(), 0);
  std::vector<double> price(rate.size(), 0);
  for (std::size_t a = 0; a < rate.size(); ++a) price[a] = rate[a] > 0 ? 1 / rate[a] : 0;
  const auto cost = [&](const std::vector<std::size_t>& ring) {
    double sum = 0;
    for (const std::size_t arc : ring) sum += price[arc];
    return sum;
  };
  double carried = 0;
  for (int round = 0; round < 6000; ++round) {
    const auto* best = &rings.front();
    double least = std::numeric_limits<double>::max();
    for (const auto& ring : rings) {
      const double c = cost(ring);
      if (c < least) best = &ring, least = c;
    }
    double narrow = rate[best->front()];
    for (const std::size_t arc : *best) narrow = std::min(narrow, rate[arc]);
    carried += narrow;
    for (const std::size_t arc : *best) {
      used[arc] += narrow;
      price[arc] *= 1 + 0.004 * narrow / rate[arc];
    }
  }
  double fullest = 0;
  for (std::size_t a = 0; a < rate.size(); ++a) {
    if (rate[a] > 0) fullest = std::max(fullest, used[a] / rate[a]);
  }
  return carried / fullest;
}

// One ring through m units of `inside` devices, a device beside each device of the next unit: what
// a unit sends a second when the slowest link is full.
double walked_ring(Routes& routes, std::int32_t from, std::int32_t inside, std::int32_t m) {
  std::vector<Flow> flows;
  for (std::int32_t i = 0; i < m; ++i) {
    for (std::int32_t k = 0; k < inside; ++k) {
      flows.push_back({from + i * inside + k, from + (i + 1) % m * inside + k, 1.0 / inside});
    }
  }
  const ArcLoads loads = routes.loads(flows);
  double slowest = std::numeric_limits<double>::max();
  for (std::size_t arc = 0; arc < loads.size(); ++arc) {
    if (loads[arc] <= 0) continue;
    const TopologyLink& l = routes.graph().links[arc / 2];
    slowest = std::min(slowest, l.bandwidth.si() * static_cast<double>(l.count) / loads[arc]);
  }
  return slowest;
}

double ring_rate(Routes& routes, std::int32_t from, std::int32_t inside, std::int32_t m) {
  if (inside == 1 && m <= 8 && routes.hops(from, from + 1) == 1) {
    const double packed =
        packed_rings(direct_links(routes.graph(), from, m), static_cast<std::size_t>(m));
    if (packed > 0) return packed;
  }
  return walked_ring(routes, from, inside, m);
}

// The slowest group of m neighbours in the first unit.
double slowest_ring(Routes& routes, std::int64_t inside, std::int64_t m, std::int64_t size) {
  double slowest = std::numeric_limits<double>::max();
  for (std::int64_t from = 0; from + m * inside <= size; from += m * inside) {
    slowest = std::min(slowest,
                       ring_rate(routes, static_cast<std::int32_t>(from),
                                 static_cast<std::int32_t>(inside), static_cast<std::int32_t>(m)));
  }
  return slowest;
}

}  // namespace

TEST_CASE("the least time of every collective is the same by tiers and by graph") {
  for (const Both& b : kShipped) {
    CAPTURE(b.graph);
    CAPTURE(b.node);
    const std::string node = std::string(R"({"node": ")") + b.node + R"(", "gpus": 1440)";
    const Cluster tiers = cluster_of(node + "}").cluster;
    const Cluster graph = cluster_of(node + R"(, "graph": ")" + b.graph + R"("})").cluster;
    int compared = 0;
    for (std::int64_t n = 2; n <= tiers.devices_per_node; ++n) {
      for (const Collective kind : kAllOf<Collective>) {
        CAPTURE(n);
        CAPTURE(name_of(kind));
        const auto bound = [&](const Cluster& c) {
          return cut_bound(c, first_ranks(c, n), kind, Bytes(1e9)).si();
        };
        if (bound(tiers) == 0) continue;
        ++compared;
        CHECK(bound(graph) / bound(tiers) == testing::about(1).epsilon(0.01));
      }
    }
    CHECK(compared > 0);
  }
}

TEST_CASE("rings over the routes of a graph reach the rate of its tiers") {
  for (const Both& b : kShipped) {
    CAPTURE(b.graph);
    CAPTURE(b.node);
    const Cluster tiers =
        cluster_of(std::string(R"({"node": ")") + b.node + R"(", "gpus": 1440})").cluster;
    const TopologyGraph g = read_graph(Reader(shipped_document(HardwareKind::graph, b.graph), ""));
    Routes routes(g);
    std::int64_t inside = 1;
    for (std::size_t i = 0; i < tiers.tier_count; ++i) {
      // Blocks have the links of their whole unit: one ring through all of it.
      const auto size = tiers.tiers[whole_tier(tiers, i)].size;
      if (size > static_cast<std::int64_t>(routes.device_count())) break;
      if (inside == size) continue;
      const std::int64_t m = size / inside;
      CAPTURE(i);
      CAPTURE(m);
      const double reached =
          slowest_ring(routes, inside, m, size) / line_rate(tiers.tiers[i], m).si();
      // Packing rings into a mesh ends a few percent short of the best.
      CHECK(reached > (tiers.tiers[i].kind == TierKind::nvlink_mesh ? 0.95 : 0.99));
      CHECK(reached < 1.01);
      inside = size;
    }
    CHECK(inside > 1);
  }
}

TEST_CASE("rings over the leaves and spines of a fat tree reach the rate of its tiers") {
  for (const char* over : {"1", "2", "7"}) {
    CAPTURE(over);
    const std::string shape =
        std::string(R"("kind": "fat-tree", "radix": 32, "rails": 8, "oversubscription": )") + over;
    const Cluster c =
        cluster_of(R"({"node": "dgx-a100-80gb", "gpus": 1024, "fabric": {"cards": 8, )" + shape +
                   "}}")
            .cluster;
    const Json document = parse_json(
        R"({"gpus_per_node": 8, "cards": 8, "card_link": "25 GB/s", "node_link": "300 GB/s",
            "nodes": 128, )" +
            shape + "}",
        "graph.json");
    const TopologyGraph g = read_graph(Reader(document, "graph.json"));
    Routes routes(g);
    const std::int64_t pod = c.tiers[1].size / 8;
    CHECK(walked_ring(routes, 0, 8, static_cast<std::int32_t>(pod)) /
              line_rate(c.tiers[1], pod).si() ==
          testing::about(1).epsilon(0.01));
  }
}
