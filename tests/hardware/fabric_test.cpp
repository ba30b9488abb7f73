// SPDX-License-Identifier: Apache-2.0
// Fabrics by closed form against the same networks as graphs, and against each other.
#include "hardware/fabric.h"

#include <doctest/doctest.h>

#include <string>

#include "hardware/hardware_files.h"
#include "hardware/topology/graph_fold.h"
#include "hardware/topology/graph_reader.h"
#include "support/about.h"

using namespace orrery;

namespace {

Cluster with_fabric(const std::string& node, std::int64_t gpus, const std::string& fabric) {
  return cluster_of(R"({"node": ")" + node + R"(", "gpus": )" + std::to_string(gpus) +
                    R"(, "fabric": )" + fabric + "}")
      .cluster;
}

std::string refused(const std::string& fabric) {
  return refusal(R"({"node": "dgx-a100-80gb", "gpus": 1024, "fabric": )" + fabric + "}");
}

// The same cluster with its tiers' bandwidths from the graph.
void check_same_rates(const Cluster& c, const std::string& graph) {
  const Json document = parse_json(graph, "graph.json");
  const TopologyGraph g = read_graph(Reader(document, "graph.json"));
  Routes routes(g);
  Cluster folded = c;
  fold_onto(folded, routes);
  for (std::size_t i = 0; i < c.tier_count; ++i) {
    CAPTURE(i);
    for (std::int64_t m = 2; m <= fan_out(c, i); m *= 2) {
      CAPTURE(m);
      CHECK(line_rate(folded.tiers[i], m) / line_rate(c.tiers[i], m) ==
            testing::about(1).epsilon(0.01));
    }
  }
}

}  // namespace

TEST_CASE("a fat tree's tiers and its graph agree within 1 percent") {
  const std::string cards =
      R"("gpus_per_node": 8, "cards": 8, "card_link": "25 GB/s", "node_link": "300 GB/s", )";
  for (const char* over : {"1", "2", "3.5", "7"}) {
    for (const char* rails : {"1", "4", "8"}) {
      CAPTURE(over);
      CAPTURE(rails);
      const std::string shape =
          std::string(R"("kind": "fat-tree", "radix": 32, "oversubscription": )") + over +
          R"(, "rails": )" + rails;
      const Cluster c = with_fabric("dgx-a100-80gb", 8 * 32, "{" + shape + R"(, "cards": 8})");
      check_same_rates(c, "{" + cards + R"("nodes": 32, )" + shape + "}");
    }
  }
}

TEST_CASE("a dragonfly's tiers and its graph agree within 1 percent") {
  const Cluster c =
      with_fabric("frontier-mi250x", 8 * 64,
                  R"({"kind": "dragonfly", "nodes_per_group": 16, "groups": 7, "taper": 1.753})");
  REQUIRE(c.tier_count == 4);
  // GPUs of a card and of a node as tiers have them: the graph is of the network between nodes.
  Cluster between = c;
  between.tiers[0] = c.tiers[2];
  between.tiers[0].size /= 8;
  between.tiers[1] = c.tiers[3];
  between.tiers[1].size /= 8;
  between.tier_count = 2;
  between.gpus = 64;
  check_same_rates(between,
                   R"({"kind": "dragonfly", "nodes": 64, "gpus_per_node": 1, "cards": 4,
                       "card_link": "25 GB/s", "node_link": "1 TB/s", "nodes_per_group": 16,
                       "groups": 7, "switches": 8, "taper": 1.753, "local_link": "50 GB/s"})");
}

TEST_CASE("two groups of Frontier share four links, all of them the tapered rate") {
  const Cluster c = with_fabric("frontier-mi250x", 9408 * 8, R"("frontier")");
  REQUIRE(c.tier_count == 4);
  CHECK(c.tiers[2].size == 1024);
  CHECK(gb(line_rate(c.tiers[3], 2)) == testing::about(100).epsilon(1e-3));
  CHECK(gb(line_rate(c.tiers[3], 74)) == testing::about(7300).epsilon(1e-3));
}

TEST_CASE("pods of Llama 3 hold 3072 GPUs and lose six sevenths above") {
  const Cluster c = with_fabric("h100-96gb-hbm2e-500w", 16384, R"("llama-3")");
  REQUIRE(c.tier_count == 3);
  CHECK(c.tiers[1].size == 3072);
  CHECK(gb(c.tiers[2].bandwidth) == testing::about(384 * 400.0 / 7));
}

TEST_CASE("a fabric that the run does not leave changes nothing") {
  const Cluster plain = cluster_of(R"({"node": "dgx-a100-80gb", "gpus": 64})").cluster;
  Cluster c =
      with_fabric("dgx-a100-80gb", 64,
                  R"({"kind": "fat-tree", "radix": 64, "rails": 8, "oversubscription": 4})");
  c.places = 0;
  CHECK(c == plain);
}

TEST_CASE("rails make pods larger") {
  const auto pod = [](const char* rails) {
    return with_fabric("dgx-a100-80gb", 1024,
                       std::string(R"({"kind": "fat-tree", "radix": 64, "cards": 8, "rails": )") +
                           rails + "}")
               .tiers[1]
               .size /
           8;
  };
  CHECK(pod("1") == 4);
  CHECK(pod("8") == 32);
}

TEST_CASE("a fabric that is wrong is refused in one line") {
  CHECK(says(refused(R"({"kind": "fat-tree", "radix": 64, "oversubscription": 0.5})"),
             "fabric.oversubscription: found 0.5"));
  CHECK(says(refused(R"({"kind": "fat-tree"})"), "fabric.radix: found nothing"));
  CHECK(says(refused(R"({"kind": "fat-tree", "radix": 64, "taper": 2})"), "unknown key"));
  CHECK(says(refused(R"({"kind": "fat-tree", "pod": 4, "radix": 64})"), "`pod` says it"));
  CHECK(says(refused(R"({"kind": "fat-tree", "radix": 8, "cards": 8})"), "fabric.radix"));
  CHECK(
      says(refused(R"({"kind": "fat-tree", "pod": 4, "nodes": 100})"), "a fat tree of 100 nodes"));
  CHECK(says(refused(R"({"kind": "dragonfly", "nodes_per_group": 16, "groups": 7, "taper": 2})"),
             "a dragonfly of 7 groups; allowed: at least 8 for the 128 nodes"));
  CHECK(says(refused(R"({"kind": "torus"})"), "fabric.kind"));
  CHECK(says(refused(R"("frontie")"), "did you mean \"frontier\""));
}
