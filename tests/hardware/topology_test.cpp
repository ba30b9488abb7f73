// SPDX-License-Identifier: Apache-2.0
// Topology graphs: routes by hand, what tiers they fold into, and what is refused.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "hardware/hardware_files.h"
#include "hardware/topology/cut.h"
#include "hardware/topology/graph_fold.h"
#include "hardware/topology/graph_reader.h"
#include "support/about.h"

using namespace orrery;

namespace {

TopologyGraph graph_of(const std::string& text) {
  const Json document = parse_json(text, "graph.json");
  return read_graph(Reader(document, "graph.json"));
}

TopologyGraph shipped_graph(const std::string& name) {
  return read_graph(Reader(shipped_document(HardwareKind::graph, name), name));
}

// GB/s of one child, by members.
double rate_of(const GraphTier& t, std::int64_t members) {
  for (const GroupBandwidth& g : t.rates) {
    if (g.members == members) return gb(g.bandwidth);
  }
  return 0;
}

GraphTier tier_of(const TopologyGraph& g, std::int64_t inside, std::int64_t size) {
  Routes routes(g);
  return graph_tier(routes, inside, size);
}

constexpr const char* kFatTree =
    R"({"kind": "fat-tree", "nodes": 16, "gpus_per_node": 4, "cards": 4, "radix": 8, "rails": 4,
        "node_link": "100 GB/s", "card_link": "10 GB/s", "oversubscription": 2})";

constexpr const char* kDragonfly =
    R"({"kind": "dragonfly", "nodes": 32, "gpus_per_node": 4, "cards": 4, "nodes_per_group": 8,
        "groups": 4, "switches": 8, "taper": 2, "local_link": "40 GB/s",
        "node_link": "100 GB/s", "card_link": "10 GB/s"})";

}  // namespace

TEST_CASE("a hybrid cube mesh has 1, 4 and 6 links for groups of 2, 4 and 8") {
  const GraphTier t = tier_of(shipped_graph("dgx-1-v100"), 1, 8);
  CHECK(rate_of(t, 2) == 25);
  CHECK(rate_of(t, 4) == 100);
  CHECK(rate_of(t, 8) == 150);
  const TopologyGraph g = shipped_graph("dgx-1-v100");
  Routes routes(g);
  CHECK(gb(half_to_half(routes)) == 150);  // two links for two GPUs, one for the other two
}

TEST_CASE("a ring of GPUs has two links to send by and two across its middle") {
  const TopologyGraph g = graph_of(R"({"kind": "torus", "sides": [8], "link": "50 GB/s"})");
  const GraphTier t = tier_of(g, 1, 8);
  CHECK(rate_of(t, 2) == 50);
  CHECK(rate_of(t, 8) == 100);
  Routes routes(g);
  CHECK(gb(half_to_half(routes)) == 100);
}

TEST_CASE("a torus of unequal sides has the cut of its rows and planes") {
  const TopologyGraph g = graph_of(R"({"kind": "torus", "sides": [4, 2, 8], "link": "10 GB/s"})");
  CHECK(rate_of(tier_of(g, 1, 4), 4) == 20);    // two links along the row
  CHECK(rate_of(tier_of(g, 4, 8), 2) == 40);    // one link each to the other row
  CHECK(rate_of(tier_of(g, 8, 64), 8) == 160);  // two links each to the next planes
}

TEST_CASE("hops are counted along the shortest way") {
  const TopologyGraph g = graph_of(kFatTree);
  Routes r(g);
  CHECK(r.hops(0, 1) == 2);      // the switch of the node
  CHECK(r.hops(0, 4) == 4);      // card, leaf, card
  CHECK(r.hops(0, 5) == 6);      // another rail: over a spine
  CHECK(r.hops(0, 4 * 4) == 6);  // another pod
  CHECK(r.hops(0, 4 * 16 - 1) == 6);
  const TopologyGraph cube = shipped_graph("dgx-1-v100");
  Routes c(cube);
  CHECK(c.hops(0, 3) == 1);
  CHECK(c.hops(0, 7) == 2);
}

TEST_CASE("equal ways share a flow by their cables and none of it is lost") {
  const TopologyGraph g = graph_of(kFatTree);
  Routes r(g);
  const Flow flow{0, 4 * 4, 6};
  const ArcLoads loads = r.loads({&flow, 1});
  double carried = 0;
  double most_up = 0;
  for (std::size_t arc = 0; arc < loads.size(); ++arc) {
    const TopologyLink& l = g.links[arc / 2];
    const auto& head = g.vertices[static_cast<std::size_t>(arc % 2 == 0 ? l.b : l.a)];
    carried += loads[arc];
    if (head.name.find("spine") == 0) most_up = std::max(most_up, loads[arc]);
  }
  CHECK(carried == testing::about(6 * 6));  // hops × volume
  CHECK(most_up == testing::about(3));      // 2 spines
}

TEST_CASE("an oversubscribed leaf narrows the pod and not the node") {
  const TopologyGraph g = graph_of(kFatTree);  // pods of 4 nodes
  CHECK(rate_of(tier_of(g, 1, 4), 4) == 100);
  CHECK(rate_of(tier_of(g, 4, 16), 2) == 40);
  CHECK(rate_of(tier_of(g, 4, 16), 4) == 40);
  CHECK(rate_of(tier_of(g, 16, 64), 2) == testing::about(80));  // 160 over 2
  CHECK(rate_of(tier_of(g, 16, 64), 4) == testing::about(80));
}

TEST_CASE("minimal routes of a dragonfly use the cables of the groups that talk") {
  const TopologyGraph g = graph_of(kDragonfly);  // groups of 8 nodes inject 320 GB/s
  CHECK(rate_of(tier_of(g, 4, 32), 8) == 40);
  const GraphTier t = tier_of(g, 32, 128);
  CHECK(rate_of(t, 2) == testing::about(320.0 / 2 / 3));
  CHECK(rate_of(t, 4) == testing::about(320.0 / 2));
}

TEST_CASE("links that differ count by the slowest child") {
  const TopologyGraph g = graph_of(
      R"({"vertices": [{"name": "gpu", "kind": "gpu", "count": 4}, {"name": "s", "kind": "switch"}],
          "links": [{"from": ["gpu0", "gpu1", "gpu2"], "to": "s", "bandwidth": "10 GB/s"},
                    {"from": "gpu3", "to": "s", "bandwidth": "7 GB/s"}]})");
  CHECK(rate_of(tier_of(g, 1, 4), 4) == 7);
}

TEST_CASE("aggregated routes find the cuts that single ones do") {
  // 160 nodes are more than are routed one by one, 32 of them are not.
  const std::string tree =
      R"("gpus_per_node": 2, "cards": 2, "radix": 16, "node_link": "100 GB/s",
         "card_link": "10 GB/s", "oversubscription": 4, "kind": "fat-tree", "rails": 2})";
  const GraphTier large = tier_of(graph_of(R"({"nodes": 160, )" + tree), 16, 320);
  const GraphTier small = tier_of(graph_of(R"({"nodes": 32, )" + tree), 16, 64);
  CHECK(rate_of(large, 2) == rate_of(small, 2));
  CHECK(rate_of(large, 20) == testing::about(rate_of(small, 4)));
  CHECK(rate_of(tier_of(graph_of(R"({"nodes": 160, )" + tree), 2, 320), 160) == 20);
}

TEST_CASE("every shipped graph folds into the tiers of its nodes within 1 percent") {
  struct Both {
    const char* graph;
    const char* node;
  };
  for (const Both& b : {Both{"dgx-1-v100", "dgx-1-v100-16gb"},
                        Both{"dgx-1-v100", "dgx-1-v100-32gb"},
                        Both{"dgx-1-v100", "p3-16xlarge-v100-16gb"},
                        Both{"dgx-2-v100", "dgx-2-v100-32gb"},
                        Both{"dgx-a100", "dgx-a100-40gb"},
                        Both{"dgx-a100", "dgx-a100-80gb"},
                        Both{"dgx-h100", "dgx-h100"},
                        Both{"dgx-h100", "hgx-h200"},
                        Both{"hgx-b200", "hgx-b200"},
                        Both{"gb200-nvl72", "gb200-nvl72"},
                        Both{"gb200-nvl72", "gb300-nvl72"},
                        Both{"jean-zay-v100", "jean-zay-v100-16gb"},
                        Both{"jean-zay-v100", "jean-zay-v100-32gb"},
                        Both{"alps-gh200", "alps-gh200"},
                        Both{"mi300x-oam", "mi300x-oam-8"},
                        Both{"mi355x-oam", "mi355x-oam-8"},
                        Both{"lassen", "lassen"},
                        Both{"summit", "summit"},
                        Both{"h100-nvl", "h100-nvl"},
                        Both{"a100-pcie", "a100-pcie-80gb"}}) {
    CAPTURE(b.graph);
    CAPTURE(b.node);
    const std::string node = std::string(R"({"node": ")") + b.node + R"(", "gpus": 1440)";
    const Cluster tiers = cluster_of(node + "}").cluster;
    const Cluster graph = cluster_of(node + R"(, "graph": ")" + b.graph + R"("})").cluster;
    for (std::size_t i = 0; i + 1 < tiers.tier_count; ++i) {
      CAPTURE(i);
      for (std::int64_t m = 2; m <= fan_out(tiers, i); ++m) {
        CAPTURE(m);
        CHECK(line_rate(graph.tiers[i], m) / line_rate(tiers.tiers[i], m) ==
              testing::about(1).epsilon(0.01));
      }
      Tier same = graph.tiers[i];
      same.bandwidth = tiers.tiers[i].bandwidth;
      same.group_sizes = tiers.tiers[i].group_sizes;
      same.group_bandwidth = tiers.tiers[i].group_bandwidth;
      CHECK(same == tiers.tiers[i]);  // all else is the node's
    }
  }
}

TEST_CASE("latency of links adds to that of the tier") {
  const std::string graph =
      R"({"vertices": [{"name": "gpu", "kind": "gpu", "count": 8}, {"name": "s", "kind": "switch"}],
          "links": [{"from": "gpu*", "to": "s", "bandwidth": "450 GB/s", "latency": "0.3 us"}]})";
  const std::string node = R"({"node": "dgx-h100", "gpus": 64)";
  const Cluster plain = cluster_of(node + "}").cluster;
  const Cluster with = cluster_of(node + R"(, "graph": )" + graph + "}").cluster;
  CHECK(with.tiers[0].latency.si() == testing::about(plain.tiers[0].latency.si() + 0.6e-6));
  CHECK(with.tiers[1] == plain.tiers[1]);
}

TEST_CASE("a graph of a whole cluster gives every tier") {
  const std::string text = std::string(R"({"device": "v100-sxm2-32gb", "gpus": 64,
      "devices_per_node": 4, "graph": )") +
                           kFatTree + R"(, "tiers": [
      {"name": "node", "kind": "nvswitch", "size": 4, "efficiency": 1, "latency": "1 us", "launch": "1 us"},
      {"name": "leaf", "kind": "infiniband", "size": 16, "efficiency": 1, "latency": "1 us", "launch": "1 us"},
      {"name": "spine", "kind": "infiniband", "efficiency": 1, "latency": "1 us", "launch": "1 us"}]})";
  const Cluster c = cluster_of(text).cluster;
  CHECK(gb(c.tiers[0].bandwidth) == 100);
  CHECK(gb(c.tiers[1].bandwidth) == 40);
  CHECK(gb(c.tiers[2].bandwidth) == testing::about(80));
}

TEST_CASE("a graph that is wrong is refused in one line") {
  const auto with = [](const std::string& graph) {
    return refusal(R"({"node": "dgx-1-v100-32gb", "gpus": 64, "graph": )" + graph + "}");
  };
  const std::string two =
      R"({"vertices": [{"name": "a", "kind": "gpu"}, {"name": "b", "kind": "gpu"}], )";
  CHECK(says(with(two + R"("links": []})"), "no path from a to b"));
  CHECK(says(with(two + R"("links": [{"from": "a", "to": "b"}]})"),
             "links[0].bandwidth: found nothing"));
  CHECK(says(with(two + R"("links": [{"from": "a", "to": "b", "bandwidth": 0}]})"),
             "links[0].bandwidth"));
  CHECK(says(with(two + R"("links": [{"from": "a", "to": "a", "bandwidth": 1}]})"), "to itself"));
  CHECK(says(with(two + R"("links": [{"from": "a", "to": "c", "bandwidth": 1}]})"),
             "unknown vertex \"c\""));
  CHECK(says(with(two + R"("links": [{"from": "a", "to": "b", "bandwidth": 1}]})"),
             "a graph of 2 GPUs; allowed: 8 or"));
  CHECK(says(with(R"({"kind": "cube"})"), "graph.kind"));
  CHECK(says(with(R"("dgx-1-v10")"), "did you mean \"dgx-1-v100\""));
  CHECK(says(with(R"({"kind": "hybrid-cube-mesh", "link": "25 GB/s", "gpus": 8})"), "unknown key"));
  CHECK(says(refusal(R"({"node": "dgx-1-v100-32gb", "gpus": 64, "graph": "dgx-1-v100",
                         "tiers": {"nvlink": {"bandwidth": "200 GB/s"}}})"),
             "`graph` says what this tier carries"));
}

TEST_CASE("null takes a graph away and a base is changed in part") {
  const std::string node = R"({"node": "dgx-1-v100-32gb", "gpus": 64, "graph": )";
  CHECK(cluster_of(node + "null}").cluster ==
        cluster_of(R"({"node": "dgx-1-v100-32gb", "gpus": 64})").cluster);
  const Cluster c = cluster_of(node + R"({"base": "dgx-1-v100", "link": "50 GB/s"}})").cluster;
  CHECK(gb(c.tiers[0].bandwidth) == 300);
}
