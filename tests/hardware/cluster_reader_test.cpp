// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "hardware_files.h"
#include "support/about.h"

namespace orrery {
namespace {

constexpr const char* kTiny = R"({
  "gpus": 12, "devices_per_node": 4, "device": "h100-sxm5-80gb",
  "tiers": [
    {"name": "inside", "kind": "nvswitch", "size": 4, "bandwidth": "450 GB/s", "efficiency": 0.8,
     "latency": "1 us", "launch": "10 us"},
    {"name": "outside", "kind": "other", "bandwidth": "100 GB/s", "efficiency": 0.9,
     "latency": "5 us", "launch": "20 us"}
  ]})";

TEST_CASE("a node by name") {
  const Cluster c = cluster_of(R"({"node": "dgx-a100-80gb", "gpus": 1024})").cluster;
  CHECK(c.gpus == 1024);
  CHECK(node_count(c) == 128);
  REQUIRE(c.tier_count == 2);
  CHECK(c.tiers[0].size == 8);
  CHECK(c.tiers[1].size == 1024);
  CHECK(fan_out(c, 1) == 128);
  CHECK(c.tiers[1].bandwidth.si() == 200e9);
  CHECK(peak_of(c.device, Precision::bf16).si() == 312e12);
  CHECK_FALSE(has_precision(c.device, Precision::fp8));
}

TEST_CASE("a cluster may end within a node") {
  const Cluster part = cluster_of(R"({"node": "dgx-a100-80gb", "gpus": 4})").cluster;
  CHECK(node_count(part) == 1);
  CHECK(part.tiers[1].size == 8);
  CHECK(tier_of(part, 4) == 0);
  const Cluster uneven = cluster_of(R"({"node": "dgx-a100-80gb", "gpus": 11})").cluster;
  CHECK(node_count(uneven) == 2);
  CHECK(uneven.devices_per_node == 8);
  CHECK(uneven.tiers[1].size == 16);
  CHECK(tier_of(uneven, 11) == 1);
}

TEST_CASE("a job that does not fill its nodes takes as many devices of each") {
  const Cluster c = cluster_of(R"({"node": "gb200-nvl72", "gpus": 256})").cluster;
  const Cluster full = cluster_of(R"({"node": "gb200-nvl72", "gpus": 288})").cluster;
  const std::size_t rack = tier_of(c, 64);
  CHECK(c.devices_per_node == 64);
  CHECK(node_count(c) == 4);
  CHECK(c.tiers[rack].size == 64);
  CHECK(c.tiers[rack + 1].size == 256);
  CHECK(c.tiers[rack + 1].bandwidth.si() ==
        testing::about(full.tiers[rack + 1].bandwidth.si() * 64 / 72));
  CHECK(c.tiers[rack + 1].rank_share == testing::about(1.0 / 64));
  CHECK(devices_of_node(c) == 72);
  CHECK(system_count(c) == 64);
  CHECK(system_power(c) == system_power(full));
  CHECK(c.tiers[rack + 1].channel_share == testing::about(9.0 / 64));
}

TEST_CASE("GPUs in racks take more racks than the fewest where each then has a power of two") {
  const auto nodes = [](const char* node, int gpus) {
    return node_count(cluster_of(R"({"node": ")" + std::string(node) + R"(", "gpus": )" +
                                 std::to_string(gpus) + "}")
                          .cluster);
  };
  CHECK(nodes("gb200-nvl72", 1024) == 16);
  CHECK(nodes("gb200-nvl72", 4096) == 64);
  CHECK(nodes("gb200-nvl72", 576) == 8);    // whole racks
  CHECK(nodes("gb200-nvl72", 200) == 3);    // 3 do not divide 200; 4 would have 50 each
  CHECK(nodes("gb200-nvl72", 1040) == 15);  // 16 would have 65 each, no whole trays
  CHECK(nodes("dgx-h100", 20) == 3);
}

TEST_CASE("one rank fills its links of a node's, all where links are not counted") {
  const auto share = [](const char* change) {
    const std::string run = R"({"node": "dgx-h100", "gpus": 64, "tiers": {"infiniband": )";
    return cluster_of(run + change + "}}").cluster.tiers[1].rank_share;
  };
  CHECK(share("{}") == 1.0 / 8);
  CHECK(share(R"({"links": 4, "links_per_rank": 2})") == 0.5);
  CHECK(share(R"({"links": null})") == 1);
  CHECK(filled_share(cluster_of(R"({"node": "dgx-h100", "gpus": 64})").cluster.tiers[1], 16) == 1);
}

TEST_CASE("one collective goes over all links unless the library has fewer channels") {
  const auto share = [](const char* change) {
    const std::string run = R"({"node": "dgx-h100", "gpus": 64, "tiers": {"infiniband": )";
    return cluster_of(run + change + "}}").cluster.tiers[1].channel_share;
  };
  CHECK(share("{}") == 1);
  CHECK(share(R"({"collective_links": 2})") == 2.0 / 8);
  CHECK(share(R"({"links": null})") == 1);
  // Racks of racks: the links of a node are counted at its own tier.
  const std::string pods = R"({"node": "gb200-nvl72", "gpus": 1440, "fabric": )"
                           R"({"kind": "fat-tree", "pod": 4, "oversubscription": 2}})";
  const Cluster c = cluster_of(pods).cluster;
  const std::size_t rack = tier_of(c, 72);
  CHECK(c.tiers[rack + 1].channel_share == 9.0 / 72);
  CHECK(c.tiers[rack + 2].channel_share == 1);
}

TEST_CASE("the library is the vendor's where nothing else is said") {
  const auto library = [](const std::string& node, const std::string& more = "") {
    return cluster_of(R"({"node": ")" + node + R"(", "gpus": 64)" + more + "}").cluster.library;
  };
  CHECK(library("dgx-h100") == CollectiveLibrary::nccl);
  CHECK(library("frontier-mi250x") == CollectiveLibrary::rccl);
  CHECK(library("dgx-h100", R"(, "collective_library": "any")") == CollectiveLibrary::any);
}

TEST_CASE("a node with other devices draws what they draw more or less") {
  const auto watts = [](const std::string& more) {
    return cluster_of(R"({"node": "dgx-h100", "gpus": 64)" + more + "}").cluster.node_power.si();
  };
  const double node = watts("");
  CHECK(watts(R"(, "device": {"power": "500 W"})") == testing::about(node - 8 * 200));
  CHECK(watts(R"(, "device": "b200-sxm-180gb")") == testing::about(node + 8 * 300));
  CHECK(watts(R"(, "device": {"power": "500 W"}, "power": "9 kW")") == 9000);
  CHECK(watts(R"(, "power": "9 kW", "device": {"power": "500 W"})") == 9000);
  CHECK(watts(R"(, "device": {"memory_capacity": "100 GiB"})") == node);
}

TEST_CASE("overrides reach every field before it is read") {
  const Cluster c = cluster_of(R"({"node": "dgx-h100", "gpus": 64, "power": "9 kW",
      "host": {"memory_bandwidth": "1 TB/s"}, "nvme": {"read": "50 GB/s", "write": "20 GB/s"},
      "device": {"memory_capacity": "160 GiB", "peak": {"bf16": "2 PFLOP/s"},
                 "efficiency": {"attention": {"flash-3": {"half_length": 300}}}},
      "tiers": {"infiniband": {"bandwidth": "800 GB/s"}}})")
                        .cluster;
  CHECK(c.node_power.si() == 9000);
  CHECK(c.host.memory_bandwidth.si() == 1e12);
  CHECK(c.host.memory_capacity.si() == 2e12);
  CHECK(c.nvme.write.si() == 20e9);
  CHECK(c.device.memory_capacity / kGiB == 160);
  CHECK(peak_of(c.device, Precision::bf16).si() == 2e15);
  CHECK(peak_of(c.device, Precision::fp16).si() == 989.4e12);
  CHECK(curve_of(c.device, AttentionKernel::flash_3).half_length == 300);
  CHECK(c.tiers[1].bandwidth.si() == 800e9);
  CHECK(c.tiers[0] == cluster_of(R"({"node": "dgx-h100", "gpus": 64})").cluster.tiers[0]);
}

TEST_CASE("a device by name replaces the node's, an object with a base changes another") {
  const Cluster named =
      cluster_of(R"({"node": "dgx-h100", "gpus": 8, "device": "b200-sxm-180gb"})").cluster;
  CHECK(named.device.generation == Generation::blackwell);
  const Cluster based = cluster_of(R"({"node": "lassen", "gpus": 8,
      "device": {"base": "a100-sxm4-80gb", "power": "350 W"}})")
                            .cluster;
  CHECK(based.device.name.view() == "a100-sxm4-80gb");
  CHECK(based.device.power.si() == 350);
  // Lassen's own host link went with its device.
  CHECK(based.device.host_link.bandwidth.si() == 25.1e9);
}

TEST_CASE("a node's changes to its device are kept under the run's") {
  const Cluster c =
      cluster_of(R"({"node": "lassen", "gpus": 8, "device": {"power": "250 W"}})").cluster;
  CHECK(c.device.host_link.bandwidth.si() == 66e9);
  CHECK(c.device.power.si() == 250);
}

TEST_CASE("a cluster without a node is its own node") {
  const Cluster c = cluster_of(kTiny).cluster;
  CHECK(c.tier_count == 2);
  CHECK(c.tiers[1].size == 12);
  CHECK(c.tiers[1].ramp.si() == 0);
  CHECK(c.node.view() == "custom");
}

TEST_CASE("an inline node may build on another and be changed again") {
  const Cluster c = cluster_of(R"({"gpus": 16, "power": "8 kW",
      "node": {"base": "dgx-h100", "name": "mine", "tiers": {"nvswitch": {"size": 16}},
               "devices_per_node": 16}})")
                        .cluster;
  CHECK(c.node.view() == "mine");
  CHECK(c.tiers[0].size == 16);
  CHECK(c.node_power.si() == 8000);
}

TEST_CASE("tiers may be replaced whole and an optional value taken away") {
  const Cluster c = cluster_of(R"({"node": "dgx-h100", "gpus": 64, "power": null,
      "tiers": [{"name": "all", "kind": "nvswitch", "bandwidth": "900 GB/s", "efficiency": 0.8,
                 "latency": "1 us", "launch": "9 us"}]})")
                        .cluster;
  CHECK(c.tier_count == 1);
  CHECK(c.tiers[0].size == 64);
  CHECK(c.node_power.si() == 0);
}

TEST_CASE("a power cap is between half of what the device is rated for and all of it") {
  const auto capped = [](const std::string& node, const std::string& cap) {
    return R"({"gpus": 8, "node": ")" + node + R"(", "power_cap": ")" + cap + R"("})";
  };
  const Cluster c = cluster_of(capped("hgx-b200", "750 W")).cluster;
  CHECK(c.power_cap == Watts(750));
  CHECK(cap_of(c) == Watts(750));
  CHECK(c.device.power == Watts(1000));
  CHECK(cap_of(cluster_of(R"({"gpus": 8, "node": "hgx-b200"})").cluster) == Watts(1000));
  CHECK(says(refusal(capped("hgx-b200", "1100 W")), "cluster.power_cap"));
  CHECK(says(refusal(capped("hgx-b200", "1100 W")), "500 W to 1 kW"));
  CHECK(says(refusal(capped("hgx-b200", "400 W")), "500 W to 1 kW"));
  CHECK(says(refusal(capped("dgx-a100-80gb", "300 W")),
             "none: no clock under a power cap is known of a100-sxm4-80gb"));
}

TEST_CASE("a clock law needs room below half of the power") {
  CHECK(
      says(refusal(R"({"node": "hgx-b200", "gpus": 8, "device": {"clock": {"at_rest": "500 W"}}})"),
           "clock.at_rest"));
  CHECK(
      says(refusal(R"({"node": "hgx-b200", "gpus": 8, "device": {"clock": {"at_rest": "500 W"}}})"),
           "less than half of `power`, 500 W"));
}

TEST_CASE("an unknown name is answered with the nearest") {
  const std::string node = refusal(R"({"node": "dgx-h10", "gpus": 8})");
  CHECK(says(node, "run.json: cluster.node"));
  CHECK(says(node, "did you mean \"dgx-h100\""));
  const std::string device = refusal(R"({"node": "dgx-h100", "gpus": 8, "device": "h10-sxm"})");
  CHECK(says(device, "run.json: cluster.device"));
  CHECK(says(device, "h100-sxm5-80gb"));
  const std::string tier = refusal(
      R"({"node": "dgx-h100", "gpus": 8, "tiers": {"infiniban": {"bandwidth": "1 GB/s"}}})");
  CHECK(says(tier, "did you mean \"infiniband\""));
}

TEST_CASE("what nothing asks for is refused where the run wrote it") {
  const std::string field = refusal(R"({"node": "dgx-h100", "gpus": 8, "powr": "3 kW"})");
  CHECK(says(field, "run.json: cluster.powr"));
  CHECK(says(field, "did you mean \"power\""));
  CHECK(
      says(refusal(R"({"node": "dgx-h100", "gpus": 8, "device": {"peak": {"fp7": "1 TFLOP/s"}}})"),
           "run.json: cluster.device.peak.fp7"));
  CHECK(says(refusal(R"({"node": "dgx-h100", "gpus": 8,
                         "tiers": {"nvswitch": {"bandwith": "1 GB/s"}}})"),
             "did you mean \"bandwidth\""));
}

TEST_CASE("values that make no sense are refused") {
  const auto with = [](const std::string& change) {
    return refusal(R"({"node": "dgx-h100", "gpus": 8, )" + change + "}");
  };
  CHECK(
      says(with(R"("device": {"memory_capacity": "80 GB/s"})"), "cluster.device.memory_capacity"));
  CHECK(says(with(R"("device": {"memory_bandwidth": 0})"), "above zero"));
  CHECK(says(with(R"("device": {"efficiency": {"gemm": {"bf16": 1.2}}})"), "gemm.bf16"));
  CHECK(says(with(R"("device": {"peak": {"nvfp4": "4 PFLOP/s"}})"), "gemm.nvfp4"));
  CHECK(says(with(R"("device": {"efficiency": {"gemm": {"nvfp4": 0.5}}})"), "gemm.nvfp4"));
  CHECK(says(with(R"("tiers": {"nvswitch": {"size": 6}})"), "cluster.devices_per_node"));
  CHECK(says(with(R"("tiers": {"infiniband": {"size": 64}})"), "whole cluster"));
  CHECK(says(with(R"("tiers": {"nvswitch": {"name": "infiniband"}})"), "each name once"));
  CHECK(says(with(R"("tiers": {"nvswitch": {"group_bandwidth": {"2": "500 GB/s"}}})"), "at most"));
  CHECK(says(with(R"("tiers": {"nvswitch": {"group_bandwidth": {"two": "5 GB/s"}}})"), "members"));
  CHECK(says(with(R"("tiers": 3)"), "cluster.tiers"));
  CHECK(says(with(R"("device": 3)"), "cluster.device"));
  CHECK(says(refusal(R"({"node": 3, "gpus": 8})"), "cluster.node"));
  CHECK(says(refusal(R"({"node": "dgx-h100", "gpus": 0})"), "cluster.gpus"));
  CHECK(says(refusal(R"({"node": "dgx-h100"})"), "cluster.gpus"));
  CHECK(says(refusal(R"({"gpus": 8})"), "cluster.node"));
  CHECK(says(refusal(R"({"gpus": 8, "node": {"base": "dgx-h100", "gpus": 4}})"),
             "cluster.node.gpus"));
}

TEST_CASE("values of the wrong type are refused, not thrown about") {
  const auto with = [](const std::string& change) {
    return refusal(R"({"node": "dgx-h100", "gpus": 8, )" + change + "}");
  };
  for (const char* change :
       {R"("sources": 3)", R"("source": 3)", R"("device": {"sources": 3})", R"("tiers": [3])",
        R"("tiers": {"nvswitch": 3})", R"("tiers": {"nvswitch": {"name": 3}})", R"("host": 3)",
        R"("device": {"base": 3})", R"("device": null)", R"("tiers": null)", R"("device": [])",
        R"("tiers": [], "sources": {"tiers": 3})", R"("name": "")"}) {
    CAPTURE(change);
    CHECK(says(with(change), "run.json: cluster."));
  }
  CHECK(says(refusal(R"({"gpus": 8, "node": {"tiers": [{"name": 3}]},
                         "tiers": {"x": {"size": 2}}})"),
             "cluster.tiers[0].name"));
}

TEST_CASE("sizes of tiers must divide each other") {
  std::string text = kTiny;
  text.replace(text.find("\"other\""), 7, "\"other\", \"size\": 6");
  text.replace(text.rfind("}\n  ]"), 1, R"(}, {"name": "third", "kind": "other",
      "bandwidth": "50 GB/s", "efficiency": 0.9, "latency": "5 us", "launch": "20 us"})");
  CHECK(says(refusal(text), "4 devices of the tier inside it"));
}

TEST_CASE("a fault of a shipped file is told of that file") {
  HardwareLookup lookup = shipped_lookup();
  lookup.find = [](HardwareKind, const std::string& name) -> std::optional<HardwareText> {
    return HardwareText{R"({"name": ")" + name + R"(", "devices_per_node": "8"})", "broken.json"};
  };
  const Json run = parse_json(R"({"node": "x", "gpus": 8, "power": "1 kW"})", "run.json");
  CHECK_THROWS_WITH_AS(read_cluster(Reader(run, "run.json", "cluster"), lookup),
                       doctest::Contains("broken.json: devices_per_node"), InputError);
}

TEST_CASE("every number knows its source, the run's own included") {
  const ResolvedCluster c = cluster_of(R"({"node": "lassen", "gpus": 8,
      "device": {"power": "250 W", "memory_bandwidth": "1 TB/s",
                 "sources": {"memory_bandwidth": "a vendor's slide"}},
      "tiers": {"node": {"bandwidth": "32 GB/s"}}})");
  CHECK(source_text(source_of(c, "cluster.device.power")) == "set by the run");
  CHECK(source_text(source_of(c, "device.memory_bandwidth")) == "a vendor's slide");
  CHECK(source_text(source_of(c, "cluster.tiers[1].bandwidth")) == "set by the run");
  CHECK(source_text(source_of(c, "tiers.node.bandwidth")) == "set by the run");
  CHECK(says(source_text(source_of(c, "tiers.1.efficiency")), "POWER9"));
  CHECK(says(source_text(source_of(c, "device.host_link.bandwidth")), "NVLink bricks"));
  CHECK(says(source_text(source_of(c, "device.host_link.latency")), "assumed"));
  CHECK(says(source_text(source_of(c, "device.peak.fp16")), "data sheet"));
  CHECK(says(source_text(source_of(c, "device.efficiency.gemm.fp16")), "95 to 97"));
}

TEST_CASE("another device brings its own sources") {
  const ResolvedCluster c =
      cluster_of(R"({"node": "lassen", "gpus": 8, "device": "h200-sxm-141gb"})");
  CHECK(says(source_text(source_of(c, "device.host_link.bandwidth")), "H200"));
}

TEST_CASE("a cluster of the run's own is set by the run") {
  const ResolvedCluster c = cluster_of(kTiny);
  CHECK(source_text(source_of(c, "tiers.0.bandwidth")) == "set by the run");
  CHECK(source_text(source_of(c, "devices_per_node")) == "set by the run");
  CHECK(says(source_text(source_of(c, "device.peak.bf16")), "ml-engineering"));
}

}  // namespace
}  // namespace orrery
