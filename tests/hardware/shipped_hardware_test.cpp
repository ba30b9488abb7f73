// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "core/provenance.h"
#include "core/units.h"
#include "hardware_files.h"
#include "support/about.h"

namespace orrery {
namespace {

const std::vector<std::string> kPromisedNodes = {"dgx-1-v100-16gb",
                                                 "dgx-1-v100-32gb",
                                                 "dgx-2-v100-32gb",
                                                 "p3-16xlarge-v100-16gb",
                                                 "jean-zay-v100-16gb",
                                                 "jean-zay-v100-32gb",
                                                 "lassen",
                                                 "summit",
                                                 "dgx-a100-40gb",
                                                 "dgx-a100-80gb",
                                                 "jean-zay-a100-80gb",
                                                 "a100-80gb-4x200g",
                                                 "a100-80gb-400g",
                                                 "a100-80gb-4x100g-roce",
                                                 "a100-pcie-80gb",
                                                 "a800-80gb",
                                                 "dgx-h100",
                                                 "h100-80gb-800g",
                                                 "h100-96gb-hbm2e-500w",
                                                 "h100-pcie",
                                                 "h100-nvl",
                                                 "hgx-h200",
                                                 "h800-80gb",
                                                 "gh200-nvl32",
                                                 "alps-gh200",
                                                 "hgx-b200",
                                                 "hgx-b300",
                                                 "gb200-nvl72",
                                                 "gb300-nvl72",
                                                 "frontier-mi250x",
                                                 "mi300x-oam-8",
                                                 "mi350x-oam-8",
                                                 "mi355x-oam-8",
                                                 "l40s-pcie",
                                                 "rtx-6000-ada-pcie",
                                                 "rtx-4090-pcie",
                                                 "rtx-a6000-pcie",
                                                 "a40-pcie",
                                                 "rtx-3090-nvlink",
                                                 "hgx-h20",
                                                 "g5-12xlarge",
                                                 "g5-48xlarge",
                                                 "g6-48xlarge",
                                                 "g6e-48xlarge",
                                                 "p4d-24xlarge",
                                                 "p4de-24xlarge",
                                                 "p5-48xlarge",
                                                 "p5en-48xlarge",
                                                 "a3-highgpu-8g",
                                                 "a3-megagpu-8g",
                                                 "nd-a100-v4",
                                                 "ndm-a100-v4",
                                                 "nd-h100-v5",
                                                 "a100-pcie-80gb-2x",
                                                 "a100-pcie-80gb-4x",
                                                 "a30-pcie",
                                                 "atlas-800t-a2",
                                                 "atlas-900-a3",
                                                 "aurora-max-1550",
                                                 "dgx-spark",
                                                 "g4dn-metal",
                                                 "g7e-48xlarge",
                                                 "h100-pcie-2x",
                                                 "h200-nvl-pcie",
                                                 "helios-mi455x",
                                                 "hls-gaudi2",
                                                 "hls-gaudi3",
                                                 "l20-pcie",
                                                 "rtx-3090-1x",
                                                 "rtx-3090-4x",
                                                 "rtx-4090-1x",
                                                 "rtx-4090-2x",
                                                 "rtx-4090-4x",
                                                 "rtx-5090-1x",
                                                 "rtx-5090-2x",
                                                 "rtx-5090-4x",
                                                 "rtx-5090-pcie",
                                                 "rtx-8000-nvlink",
                                                 "rtx-a5000-pcie",
                                                 "rtx-pro-6000-1x",
                                                 "rtx-pro-6000-2x",
                                                 "rtx-pro-6000-4x",
                                                 "tpu-v4-4x4x4",
                                                 "tpu-v5e-16x16",
                                                 "tpu-v5e-2x4",
                                                 "tpu-v5p-16x16x24",
                                                 "tpu-v5p-4x4x4",
                                                 "tpu-v5p-8x8x8",
                                                 "tpu-v6e-16x16",
                                                 "tpu-v6e-2x4",
                                                 "tpu-v7x-4x4x4",
                                                 "trn1-32xlarge",
                                                 "trn1n-32xlarge",
                                                 "trn2-48xlarge",
                                                 "trn2-ultraserver",
                                                 "trn3-ultraserver",
                                                 "v100-pcie-16gb",
                                                 "v100-pcie-32gb",
                                                 "vr200-nvl72"};

bool is_quantity(const Json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  for (const Dimension d :
       {kBytes, kBytes - kSeconds, kFlops - kSeconds, kSeconds, kJoules - kSeconds}) {
    if (parse_quantity(text, d)) return true;
  }
  return false;
}

// Paths of numbers without an entry of their own or of a parent in `sources`.
void unsourced(const Json& document, const std::string& path, const Json& value,
               std::vector<std::string>& found) {
  if (value.is_number() || is_quantity(value)) {
    if (listed_source(document, path).kind == SourceKind::unknown) found.push_back(path);
  }
  if (!value.is_structured()) return;
  std::size_t index = 0;
  for (auto it = value.begin(); it != value.end(); ++it, ++index) {
    const std::string key = value.is_object() ? it.key() : std::to_string(index);
    if (key == "source" || key == "sources") continue;
    unsourced(document, path.empty() ? key : path + "." + key, it.value(), found);
  }
}

double share_of_one_device(const Cluster& c, std::size_t tier) {
  const std::int64_t devices = tier == 0 ? 1 : c.tiers[tier - 1].size;
  return c.tiers[tier].bandwidth.si() / static_cast<double>(devices);
}

TEST_CASE("every promised node is shipped") {
  for (const std::string& name : kPromisedNodes) {
    CAPTURE(name);
    CHECK(find_shipped(HardwareKind::node, name).has_value());
  }
}

TEST_CASE("every shipped file is read whole and named as its file") {
  for (const std::string& name : shipped_hardware(HardwareKind::node)) {
    CAPTURE(name);
    const Cluster c = shipped_node(name).cluster;
    CHECK(c.node.view() == name);
    CHECK(c.gpus == c.devices_per_node);
    CHECK(c.host.memory_capacity.si() > 0);
    CHECK(c.node_power.si() > static_cast<double>(c.devices_per_node) * c.device.power.si() * 0.9);
  }
  for (const std::string& name : shipped_hardware(HardwareKind::device)) {
    CAPTURE(name);
    const Json document = shipped_document(HardwareKind::device, name);
    CHECK(document["name"] == name);
  }
}

TEST_CASE("every device is used by a node") {
  std::vector<std::string> used;
  for (const std::string& name : shipped_hardware(HardwareKind::node)) {
    used.emplace_back(shipped_node(name).cluster.device.name.view());
  }
  // Rows of published runs on several kinds (validation/mixed) hold the nodes of these.
  used.insert(used.end(), {"rtx-2080-ti", "titan-rtx"});
  for (const std::string& name : shipped_hardware(HardwareKind::device)) {
    CAPTURE(name);
    CHECK(std::find(used.begin(), used.end(), name) != used.end());
  }
}

TEST_CASE("every number of a shipped file names its own source") {
  for (const HardwareKind kind : {HardwareKind::device, HardwareKind::node}) {
    for (const std::string& name : shipped_hardware(kind)) {
      const Json document = shipped_document(kind, name);
      std::vector<std::string> missing;
      unsourced(document, "", document, missing);
      CHECK_MESSAGE(missing.empty(), name << ": " << alternatives(missing));
      CHECK(document_source(document, "name").kind != SourceKind::unknown);
    }
  }
}

TEST_CASE("a device never gets more bandwidth from an outer tier than from an inner one") {
  for (const std::string& name : shipped_hardware(HardwareKind::node)) {
    CAPTURE(name);
    const Cluster c = shipped_node(name).cluster;
    for (std::size_t i = 1; i < c.tier_count; ++i) {
      CHECK(share_of_one_device(c, i) <= share_of_one_device(c, i - 1));
    }
  }
}

TEST_CASE("a larger group never gets a smaller line rate") {
  for (const std::string& name : shipped_hardware(HardwareKind::node)) {
    CAPTURE(name);
    const Cluster c = shipped_node(name).cluster;
    const Tier& inner = c.tiers[0];
    for (std::int64_t n = 2; n <= inner.size; ++n) {
      CHECK(line_rate(inner, n) >= line_rate(inner, n - 1));
    }
    CHECK(line_rate(inner, c.tiers[whole_tier(c, 0)].size) == inner.bandwidth);
  }
}

TEST_CASE("only network cards join nodes, and they are the outermost tier") {
  for (const std::string& name : shipped_hardware(HardwareKind::node)) {
    CAPTURE(name);
    const Cluster c = shipped_node(name).cluster;
    REQUIRE(c.tier_count >= (c.devices_per_node == 1 ? 1 : 2));
    for (std::size_t i = 0; i < c.tier_count; ++i) {
      CHECK(is_fabric(c.tiers[i].kind) == (i + 1 == c.tier_count));
    }
  }
}

// Some chips of other makers cast 8 bits to 16 before they multiply (TPU v6e), or have one rate for
// both (Gaudi 3); announced figures follow no rule.
TEST_CASE("half the bits of a GPU give twice the dense peak, and no device loses rate by it") {
  for (const std::string& name : shipped_hardware(HardwareKind::device)) {
    CAPTURE(name);
    const Device d =
        cluster_of(R"({"node": "dgx-h100", "gpus": 8, "device": ")" + name + "\"}").cluster.device;
    const auto rate = [&](Precision p) { return peak_of(d, p).si() * d.efficiency.gemm[p]; };
    for (const Precision narrow : {Precision::fp8, Precision::int8}) {
      if (has_precision(d, narrow)) CHECK(rate(narrow) >= rate(Precision::bf16) * 0.99);
    }
    if (d.vendor != Vendor::nvidia && d.vendor != Vendor::amd) continue;
    if (document_source(shipped_document(HardwareKind::device, name), "").kind ==
        SourceKind::announced) {
      continue;
    }
    if (!has_precision(d, Precision::fp16)) continue;  // Pascal has no tensor cores
    const double half = peak_of(d, Precision::fp16).si();
    CHECK(half > peak_of(d, Precision::fp32).si());
    if (has_precision(d, Precision::bf16)) CHECK(peak_of(d, Precision::bf16).si() == half);
    if (!has_precision(d, Precision::fp8)) continue;
    CHECK(peak_of(d, Precision::fp8).si() ==
          testing::about(2 * half).epsilon(0.013));  // data sheets round
    CHECK(rate(Precision::fp8) > rate(Precision::bf16));
  }
}

TEST_CASE("capacities are what a driver shows, below what is marketed") {
  const auto capacity = [](const char* node) {
    return shipped_node(node).cluster.device.memory_capacity / kGiB;
  };
  CHECK(capacity("dgx-h100") == testing::about(79.6).epsilon(0.001));
  CHECK(capacity("dgx-a100-80gb") < 80);
  CHECK(capacity("dgx-a100-80gb") > 79);
  CHECK(capacity("dgx-1-v100-32gb") == 31.75);
  CHECK(capacity("hgx-b200") < 180);
  CHECK(capacity("rtx-4090-pcie") < 24);
  CHECK(capacity("l40s-pcie") < 45.1);  // 48 GB less what ECC takes
}

// Published runs on A100, H100 and B200 say nothing of these.
TEST_CASE("cards without HBM are generations of their own, whatever NVIDIA calls them") {
  for (const std::string& name : shipped_hardware(HardwareKind::node)) {
    CAPTURE(name);
    const Device d = shipped_node(name).cluster.device;
    if (d.vendor != Vendor::nvidia) continue;
    const bool is_card =
        d.generation == Generation::ada || d.generation == Generation::ampere_ga10x ||
        d.generation == Generation::turing || d.generation == Generation::blackwell_gb20x ||
        d.generation == Generation::other;  // Pascal, of which no run is published
    // HBM, bytes a second: three stacks of HBM2 in A30 and four in V100 are the slowest, eight
    // channels of GDDR7 the fastest without.
    const bool is_slow = d.memory_bandwidth.si() < 0.89e12;
    const bool is_fast = d.memory_bandwidth.si() > 1.8e12;
    if (is_slow) CHECK(is_card);
    if (is_fast) CHECK_FALSE(is_card);
  }
}

TEST_CASE("GPUs that the driver keeps apart exchange at half the rate of the bus, and less") {
  const auto attained = [](const char* node) {
    const Tier t = shipped_node(node).cluster.tiers[0];
    return t.bandwidth.si() * t.efficiency;
  };
  for (const char* apart : {"rtx-4090-pcie", "g5-48xlarge", "g6-48xlarge"}) {
    CHECK(attained(apart) < 0.6 * attained("l40s-pcie"));
  }
}

// Figures of products that nobody has are marked, down to the peak that a run reads.
TEST_CASE("an announced device says so of itself and of its peaks") {
  for (const char* name : {"vr200", "mi455x"}) {
    CAPTURE(name);
    const Json document = shipped_document(HardwareKind::device, name);
    CHECK(document_source(document, "").kind == SourceKind::announced);
    CHECK(document_source(document, "peak.bf16").kind == SourceKind::announced);
    CHECK(document_source(document, "efficiency.gemm.bf16").kind == SourceKind::assumed);
  }
}

// GCP, TPU v5e: a pod of 16 × 16, 4 links of 45 GB/s a direction (scaling book).
TEST_CASE("a group in one axis of a torus has that axis's two links, one of both has all") {
  const Tier ici = shipped_node("tpu-v5e-16x16").cluster.tiers[0];
  CHECK(line_rate(ici, 16).si() == 2 * 45e9);
  CHECK(line_rate(ici, 256).si() == 4 * 45e9);
  CHECK(line_rate(ici, 4).si() == 45e9);  // an axis that does not close
  const Tier cube = shipped_node("tpu-v5p-4x4x4").cluster.tiers[0];
  CHECK(line_rate(cube, 4).si() == 2 * 90e9);
  CHECK(line_rate(cube, 64).si() == 6 * 90e9);
}

TEST_CASE("two cores of a TPU7x and four of a Trainium 2 make their chips") {
  const Device core = shipped_node("tpu-v7x-4x4x4").cluster.device;
  CHECK(2 * peak_of(core, Precision::bf16).si() == 2307e12);
  CHECK(2 * peak_of(core, Precision::fp8).si() == 4614e12);
  const Device logical = shipped_node("trn2-48xlarge").cluster.device;
  CHECK(4 * peak_of(logical, Precision::bf16).si() == 667e12);
  CHECK(4 * logical.memory_capacity.si() == 96 * kGiB.si());
}

}  // namespace
}  // namespace orrery
