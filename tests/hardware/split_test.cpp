// SPDX-License-Identifier: Apache-2.0
// Cuts inside a tier become tiers of blocks, or lower its rates.
#include <doctest/doctest.h>

#include <string>

#include "hardware/hardware_files.h"
#include "support/about.h"

using namespace orrery;

namespace {

ResolvedCluster on_dgx(const std::string& graph, int gpus = 8) {
  return cluster_of(R"({"node": {"base": "dgx-h100", "devices_per_node": )" + std::to_string(gpus) +
                    R"(, "tiers": {"nvswitch": {"size": )" + std::to_string(gpus) +
                    R"(}}}, "gpus": )" + std::to_string(gpus) + R"(, "graph": )" + graph + "}");
}

std::string two_switches(const std::string& link,
                         const std::string& first = "gpu0\", \"gpu1\", \"gpu2\", \"gpu3",
                         const std::string& second = "gpu4\", \"gpu5\", \"gpu6\", \"gpu7") {
  return R"({"vertices": [{"name": "gpu", "kind": "gpu", "count": 8}, {"name": "a", "kind": "switch"},
                          {"name": "b", "kind": "switch"}],
             "links": [{"from": [")" +
         first + R"("], "to": "a", "bandwidth": "450 GB/s"},
                       {"from": [")" +
         second + R"("], "to": "b", "bandwidth": "450 GB/s"},
                       {"from": "a", "to": "b", "bandwidth": ")" +
         link + R"("}]})";
}

}  // namespace

TEST_CASE("a thin link between two switches parts its tier") {
  const ResolvedCluster c = on_dgx(two_switches("10 GB/s"));
  REQUIRE(c.cluster.tier_count == 3);
  CHECK(c.cluster.tiers[0].name.view() == "nvswitch-4");
  CHECK(c.cluster.tiers[0].block);
  CHECK(c.cluster.tiers[0].size == 4);
  CHECK(gb(line_rate(c.cluster.tiers[0], 4)) == 450);
  CHECK(c.cluster.tiers[1].name.view() == "nvswitch");
  CHECK_FALSE(c.cluster.tiers[1].block);
  CHECK(gb(line_rate(c.cluster.tiers[1], 2)) == 10);
  CHECK_FALSE(c.cluster.tiers[1].in_network_reduction);
  CHECK(c.notes.empty());
  CHECK(c.node->at("tiers").size() == 3);
  CHECK(source_text(source_of(c, "tiers.1.bandwidth")) == "folded from `graph`");
  const ResolvedCluster plain = cluster_of(R"({"node": "dgx-h100", "gpus": 8})");
  CHECK(source_text(source_of(c, "tiers.2.latency")) ==
        source_text(source_of(plain, "tiers.1.latency")));
  // 450·4·4/7 cross in an exchange.
  CHECK(on_dgx(two_switches("1000 GB/s")).cluster.tier_count == 3);
  CHECK(on_dgx(two_switches("1030 GB/s")).cluster.tier_count == 2);
}

TEST_CASE("a cut that parts no equal blocks slows all of its tier") {
  const ResolvedCluster c = on_dgx(two_switches(
      "10 GB/s", R"(gpu0", "gpu1", "gpu2", "gpu3", "gpu4)", R"(gpu5", "gpu6", "gpu7)"));
  // 5·3/7 of a child's rate cross in an exchange.
  CHECK(gb(line_rate(c.cluster.tiers[c.cluster.tier_count - 2U], 8)) <=
        testing::about(10 * 7.0 / 15));
  REQUIRE(c.notes.size() == 1);
  CHECK(says(c.notes[0], "a cut of 10 GB/s inside tier"));
}

TEST_CASE("a ring of GPUs is halved and halved again") {
  const Cluster c = on_dgx(R"({"kind": "torus", "sides": [8], "link": "50 GB/s"})").cluster;
  REQUIRE(c.tier_count == 4);
  for (const std::size_t i : {0U, 1U, 2U}) {
    CAPTURE(i);
    CHECK(c.tiers[i].size == std::int64_t{2} << i);
    CHECK(c.tiers[i].block == (i < 2));
    CHECK(gb(line_rate(c.tiers[i], 8 >> i)) == 100);  // of two links each
  }
  CHECK(gb(line_rate(c.tiers[0], 2)) == 50);
}

TEST_CASE("a hybrid cube mesh is two quads") {
  const Cluster c = on_dgx(R"({"kind": "hybrid-cube-mesh", "link": "25 GB/s"})").cluster;
  REQUIRE(c.tier_count == 3);
  CHECK(c.tiers[0].size == 4);
  CHECK(gb(line_rate(c.tiers[0], 8)) == 150);
  CHECK(gb(line_rate(c.tiers[1], 2)) == 150);
}

TEST_CASE("a tier of direct links has no switch that adds") {
  const auto adds = [](const std::string& graph) {
    return cluster_of(R"({"node": "dgx-h100", "gpus": 8, "graph": )" + graph + "}")
        .cluster.tiers[0]
        .in_network_reduction;
  };
  CHECK(adds(R"("dgx-h100")"));
  CHECK_FALSE(adds(R"({"kind": "hybrid-cube-mesh", "link": "25 GB/s"})"));
  CHECK_FALSE(adds(R"({"kind": "fully-connected", "gpus": 8, "link": "60 GB/s"})"));
}
