// SPDX-License-Identifier: Apache-2.0
// Facts of a machine's files beside those of the shipped node and of the training.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"
#include "core/json_path.h"
#include "exchange/machine/machine.h"
#include "support/runs.h"

namespace orrery {
namespace {

using testing::json_of;

ImportedRun imported(const std::vector<ForeignFile>& files, const char* given = "{}") {
  ImportJob job;
  job.files = files;
  job.given = json_of(given);
  const ConfigLookup lookup = testing::shipped_configs();
  job.lookup = &lookup;
  return import_files(job);
}

Json value_in(const ImportedRun& r, const char* path) { return value_at(r.run, path); }

const LeftOver* stopped_by(const ImportedRun& r, const std::string& part) {
  const auto found = std::find_if(r.ignored.begin(), r.ignored.end(), [&](const LeftOver& l) {
    return l.is_refused && (l.setting + ": " + l.why).find(part) != std::string::npos;
  });
  return found == r.ignored.end() ? nullptr : &*found;
}

const std::string kToSwitch = "<nvlink target=\"a\" count=\"18\" tclass=\"0x068000\"/>";
const std::string kH100 = "vendor=\"0x10de\" device=\"0x2330\"";

std::string gpu(const std::string& pci, const std::string& sm, const std::string& links) {
  return "<pci class=\"0x030200\" " + pci + "><gpu sm=\"" + sm + "\">" + links + "</gpu></pci>";
}

std::string nets(int n, int speed) {
  std::string text;
  for (int i = 0; i < n; ++i)
    text += "<nic><net name=\"n\" speed=\"" + std::to_string(speed) + "\"/></nic>";
  return text;
}

std::string topology(int n, const std::string& gpu, const std::string& more) {
  std::string text = "<system version=\"1\"><cpu numaid=\"0\">";
  for (int i = 0; i < n; ++i) text += gpu;
  return text + more + "</cpu></system>";
}

}  // namespace

TEST_CASE("NICs of another speed are left out, by name") {
  const std::string gpus = gpu(kH100, "90", kToSwitch);
  for (const int slow : {100000, 10000}) {
    const ImportedRun r = imported({{"x", topology(8, gpus, nets(8, 400000) + nets(2, slow))}});
    CHECK(value_in(r, "cluster.node") == "dgx-h100");
    CHECK(value_in(r, "cluster.tiers").is_null());
    REQUIRE(r.ignored.size() == 1);
    CHECK(r.ignored[0].why == "2 beside 8 of 400 Gb/s: not counted");
  }
  // One fast NIC of a front end beside eight of the network.
  const ImportedRun front = imported({{"x", topology(8, gpus, nets(8, 100000) + nets(1, 200000))}});
  CHECK(value_in(front, "cluster.tiers.infiniband.bandwidth") == "100 GB/s");
}

TEST_CASE("GPUs of two kinds are no node") {
  const std::string h200 = gpu("vendor=\"0x10de\" device=\"0x2335\"", "90", kToSwitch);
  std::string both = topology(4, h200, "");
  both.insert(both.rfind("</cpu>"), gpu(kH100, "90", kToSwitch));
  CHECK_THROWS_WITH_AS(imported({{"x", both}}), doctest::Contains("GPUs of one kind"), InputError);
  CHECK_THROWS_WITH_AS(
      imported({{"x",
                 "<topology><object type=\"PCIDev\" pci_type=\"0302 [10de:2330]\"/>"
                 "<object type=\"PCIDev\" pci_type=\"0302 [10de:20b2]\"/></topology>"}}),
      doctest::Contains("h100-sxm5-80gb and a100-sxm4-80gb"), InputError);
}

TEST_CASE("a GPU of AMD that is not shipped is no node of the same chip") {
  const auto box = [](const std::string& pci) {
    std::string links;
    for (int i = 0; i < 7; ++i) links += "<xgmi target=\"p\" count=\"1\" tclass=\"0x038000\"/>";
    const std::string one = "<pci class=\"0x120000\" " + pci + "><gpu sm=\"94\" gcn=\"gfx942\">" +
                            links + "</gpu></pci>";
    return imported({{"x", topology(8, one, nets(8, 400000))}});
  };
  CHECK(value_in(box("vendor=\"0x1002\" device=\"0x74a1\""), "cluster.node") == "mi300x-oam-8");
  CHECK(value_in(box(""), "cluster.node") == "mi300x-oam-8");
  CHECK(stopped_by(box("vendor=\"0x1002\" device=\"0x74a2\""), "PCI 1002:74a2") != nullptr);
}

TEST_CASE("the PCIe link of a GPU without NVLink is its own") {
  const auto box = [](const std::string& link) {
    return imported({{"x", topology(8, gpu("vendor=\"0x10de\" device=\"0x26b9\" " + link, "89", ""),
                                    nets(2, 200000))}});
  };
  const ImportedRun slow = box("link_speed=\"8.0 GT/s PCIe\" link_width=\"8\"");
  CHECK(value_in(slow, "cluster.node") == "l40s-pcie");
  CHECK(value_in(slow, "cluster.tiers.pcie.bandwidth") == "7.88 GB/s");
  CHECK(
      value_in(box("link_speed=\"16.0 GT/s PCIe\" link_width=\"16\""), "cluster.tiers").is_null());
  CHECK(value_in(box("link_speed=\"\" link_width=\"0\""), "cluster.tiers").is_null());
  // Lstopo shows a link as it stood, perhaps of a GPU at rest.
  std::string pci = "<topology>";
  for (int i = 0; i < 8; ++i)
    pci += "<object type=\"PCIDev\" pci_type=\"0302 [10de:26b9]\" pci_link_speed=\"7.876923\"/>";
  const ImportedRun rests = imported({{"l", pci + "</topology>"}});
  REQUIRE(stopped_by(rests, "PCIe links of 7.88 GB/s") != nullptr);
  const ImportedRun stated =
      imported({{"l", pci + "</topology>"}},
               R"({"cluster": {"tiers": {"pcie": {"bandwidth": "31 GB/s"}}}})");
  CHECK(stopped_by(stated, "PCIe") == nullptr);
}

TEST_CASE("NICs are compared by number, too") {
  const std::string wired = "<nvlink target=\"g\" count=\"4\" tclass=\"0x030200\"/>";
  const std::string a100 = gpu("vendor=\"0x10de\" device=\"0x20b2\"", "80", wired + wired + wired);
  const auto node = [&](const std::string& nics) {
    return value_in(imported({{"x", topology(4, a100, nics)}}), "cluster.node");
  };
  CHECK(node(nets(4, 100000)) == "a100-80gb-4x100g-roce");
  CHECK(node(nets(2, 200000)).is_null());
  const ImportedRun given = imported({{"x", topology(4, a100, nets(2, 200000))}},
                                     R"({"cluster": {"node": "a100-80gb-4x100g-roce"}})");
  CHECK(value_in(given, "cluster.tiers.roce.links") == 2);
}

TEST_CASE("a host of a rack has its share of the rack's network") {
  const std::string tray = gpu("vendor=\"0x10de\" device=\"0x2941\"", "100", kToSwitch);
  const ImportedRun whole = imported({{"x", topology(4, tray, nets(4, 400000))}});
  CHECK(value_in(whole, "cluster.node") == "gb200-nvl72");
  CHECK(value_in(whole, "cluster.tiers").is_null());
  const ImportedRun half = imported({{"x", topology(4, tray, nets(2, 400000))}});
  CHECK(value_in(half, "cluster.tiers.infiniband.bandwidth") == "1800 GB/s");
  CHECK(value_in(half, "cluster.tiers.infiniband.links") == 36);
}

TEST_CASE("NVLink domains are those of the node, or stop") {
  const auto blocks = [](const char* nodes, const char* given) {
    return imported({{"t", std::string("BlockName=b1 Nodes=") + nodes + "\n"}}, given);
  };
  const char* rack = R"({"cluster": {"node": "gb200-nvl72"}})";
  CHECK(blocks("n[1-18]", rack).ignored.empty());
  REQUIRE(stopped_by(blocks("n[1-9]", rack), "NVLink domains of 9 nodes") != nullptr);
  CHECK(stopped_by(blocks("n[1-9]", rack), "domains")->key == "cluster.tiers.nvlink.size");
  CHECK(stopped_by(blocks("n[1-18]", R"({"cluster": {"node": "dgx-h100"}})"), "joins 8 GPUs") !=
        nullptr);
  CHECK(blocks("n[1-9]", R"({"cluster": {"node": "gb200-nvl72",
                             "tiers": {"nvlink": {"size": 36}}}})")
            .ignored.empty());
}

TEST_CASE("topograph's type of GPU is that of the node, or stops") {
  const std::string blocks =
      "switches:\n- {name: s, capacity_blocks: [b]}\ncapacity_blocks:\n"
      "- {name: b, type: GB200, nodes: ['n[1-18]']}\n";
  const auto beside = [&](const char* given) { return imported({{"t.yaml", blocks}}, given); };
  CHECK(stopped_by(beside(R"({"cluster": {"node": "dgx-h100"}})"), "type GB200") != nullptr);
  CHECK(stopped_by(beside(R"({"cluster": {"node": "gb200-nvl72"}})"), "type GB200") == nullptr);
}

TEST_CASE("a training with more GPUs than its machine is left open") {
  const std::string fabric = "SwitchName=s Nodes=n[1-4]\n";
  const std::string job =
      "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=8\n#SBATCH --gpus-per-task=1\n"
      "srun python pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 "
      "--seq-length 64 --micro-batch-size 1 --global-batch-size 64 --bf16\n";
  const char* node = R"({"cluster": {"node": "dgx-h100"}})";
  CHECK(stopped_by(imported({{"j.sh", job}, {"t", fabric}}, node), "in the fabric") == nullptr);
  const std::string small = "SwitchName=s Nodes=n[1-2]\n";
  const ImportedRun r = imported({{"j.sh", job}, {"t", small}}, node);
  REQUIRE(stopped_by(r, "32 in the training, 16 in the fabric") != nullptr);
  CHECK(value_in(r, "cluster.gpus").is_null());
  const std::string four = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-5f1c6b3a-0000)\n";
  const ImportedRun host = imported({{"j.sh", job}, {"l", four + four + four + four}}, node);
  CHECK(stopped_by(host, "8 of a node in the training, 4 in the machine") != nullptr);
}

}  // namespace orrery
