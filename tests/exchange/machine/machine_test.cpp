// SPDX-License-Identifier: Apache-2.0
#include "exchange/machine/machine.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"
#include "core/json_path.h"
#include "exchange/recognise.h"
#include "support/runs.h"

namespace orrery {
namespace {

using testing::json_of;

ImportedRun composed(const std::vector<ForeignFile>& files, const char* given = "{}") {
  ImportJob job;
  job.given = json_of(given);
  const ConfigLookup lookup = testing::shipped_configs();
  job.lookup = &lookup;
  return import_machine(files, job);
}

Json value(const ImportedRun& r, const char* path) { return value_at(r.run, path); }

const LeftOver* open_key(const ImportedRun& r, const std::string& key) {
  const auto found = std::find_if(r.ignored.begin(), r.ignored.end(),
                                  [&](const LeftOver& l) { return l.is_refused && l.key == key; });
  return found == r.ignored.end() ? nullptr : &*found;
}

// Rows of n GPUs, of which each pair shows `cell`.
std::string matrix(std::size_t n, const std::string& cell, const std::string& separator,
                   const std::string& before = "") {
  std::string text = separator + before;
  for (std::size_t i = 0; i < n; ++i) text += "GPU" + std::to_string(i) + separator;
  text += "CPU Affinity\n";
  for (std::size_t i = 0; i < n; ++i) {
    text += "GPU" + std::to_string(i) + separator;
    for (std::size_t k = 0; k < n; ++k) text += (i == k ? " X " : cell) + separator;
    text += "0-55\n";
  }
  return text + "\nLegend:\n\n  X    = Self\n";
}

// NCCL's topology of 8 GPUs behind switches, with a NIC each.
std::string nccl(const std::string& pci, const std::string& gpu, const std::string& links,
                 int speed) {
  std::string text = "<system version=\"1\"><cpu numaid=\"0\">";
  for (int i = 0; i < 8; ++i) {
    text += "<pci busid=\"" + std::to_string(i) + "\" class=\"0x030200\" " + pci + "><gpu dev=\"" +
            std::to_string(i) + "\" " + gpu + ">" + links + "</gpu></pci><nic><net name=\"n" +
            std::to_string(i) + "\" speed=\"" + std::to_string(speed) + "\"/></nic>";
  }
  return text + "</cpu></system>";
}

}  // namespace

TEST_CASE("a matrix of links is read with tabs, blanks, escapes and glued cells") {
  for (const std::string& text : {matrix(8, "NV12", "\t", "\x1b[4m"), matrix(8, "NV12", "   ")}) {
    const MachineFacts m = read_machine({"t", text});
    CHECK(m.gpus == 8);
    CHECK(m.links == LinkKind::switched);
    CHECK(m.links_per_gpu == 12);
  }
  const std::string glued =
      "        GPU0    GPU1    NIC0    NIC1    CPU Affinity\n"
      "GPU0     X      PHB     PIXNODE    0-23\nGPU1    PHB      X      NODENODE    0-23\n";
  const MachineFacts m = read_machine({"t", glued});
  CHECK(m.gpus == 2);
  CHECK(m.nics == 2);
  CHECK(m.links == LinkKind::pcie);
  CHECK_THROWS_AS(read_machine({"t", "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV1\t0\n"}),
                  InputError);
}

TEST_CASE("a matrix alone does not say the chip: the nodes of its shape are asked for") {
  const ImportedRun open = composed({{"t", matrix(8, "NV18", "\t")}});
  REQUIRE(open_key(open, "cluster.node") != nullptr);
  CHECK(open_key(open, "cluster.node")->why.find("dgx-h100, hgx-h200, hgx-b200") !=
        std::string::npos);
  CHECK(value(open, "cluster.node").is_null());
  const ImportedRun given =
      composed({{"t", matrix(8, "NV18", "\t")}}, R"({"cluster": {"node": "hgx-h200"}})");
  CHECK(given.ignored.empty());
  const ImportedRun other =
      composed({{"t", matrix(8, "NV18", "\t")}}, R"({"cluster": {"node": "dgx-a100-80gb"}})");
  REQUIRE(other.ignored.size() == 1);
  CHECK(other.ignored[0].is_refused);
}

TEST_CASE("NCCL's topology of a DGX H100 and of eight MI300X is the shipped node") {
  const std::string switches = "<nvlink target=\"a\" count=\"18\" tclass=\"0x068000\"/>";
  const std::string h100 =
      nccl("vendor=\"0x10de\" device=\"0x2330\"", "sm=\"90\"", switches, 400000);
  const ImportedRun r = composed({{"x", h100}});
  CHECK(value(r, "cluster.node") == "dgx-h100");
  CHECK(value(r, "cluster.tiers").is_null());
  CHECK(r.ignored.empty());
  const ImportedRun both = composed({{"x", h100}, {"t", matrix(8, "NV18", "\t")}});
  CHECK(value(both, "cluster.node") == "dgx-h100");
  CHECK(both.ignored.empty());
  std::string peers;
  for (int i = 0; i < 7; ++i) peers += "<xgmi target=\"p\" count=\"1\" tclass=\"0x038000\"/>";
  CHECK(value(composed({{"x", nccl("", "sm=\"304\" gcn=\"942\"", peers, 400000)}}),
              "cluster.node") == "mi300x-oam-8");
  // Half the speed of the NICs is half the network.
  const ImportedRun slow =
      composed({{"x", nccl("vendor=\"0x10de\" device=\"0x2330\"", "sm=\"90\"", switches, 200000)}});
  CHECK(value(slow, "cluster.node") == "dgx-h100");
  CHECK(value(slow, "cluster.tiers") ==
        Json({{"infiniband", {{"bandwidth", "200 GB/s"}, {"links", 8}}}}));
  const ImportedRun against = composed({{"x", h100}, {"t", matrix(4, "NV18", "\t")}});
  CHECK_FALSE(against.ignored.empty());
  CHECK_THROWS_AS(read_machine({"x", "<system><cpu></system>"}), InputError);
}

TEST_CASE("a host at several switches is one host") {
  const auto nodes = [](const char* text) { return read_machine({"s", text}).nodes; };
  CHECK(nodes("SwitchName=r1 Nodes=n[01-32]\nSwitchName=r2 Nodes=n[01-32]\n") == 32);
  CHECK(nodes("SwitchName=r1 Nodes=n[8-11],m1\nSwitchName=r2 Nodes=n[10-12],m1\n") == 6);
  CHECK(nodes("SwitchName=r1 Nodes=a[1-2]b[1-4]\nSwitchName=r2 Nodes=a2b3\n") == 8);
}

TEST_CASE("lists of hosts are counted") {
  CHECK(machine::count_hosts("a[1-3,7],b2") == 5);
  CHECK(machine::count_hosts("srv[1101-1108]") == 8);
  CHECK(machine::count_hosts("n[01-02][1-4]") == 8);
  CHECK(machine::count_hosts("host") == 1);
  CHECK(machine::count_hosts("a[5-3]") == 1);
  CHECK(machine::count_hosts("") == 0);
}

TEST_CASE("a fabric says pods, rails and what is above them") {
  const std::string discovered =
      "switchguid=0x1\nSwitch\t65 \"S-1\"\t\t# \"leaf\" enhanced\n"
      "[1]\t\"H-a\"[1](a) \t\t# \"node1 mlx5_0\" lid 1 4xNDR\n[2]\t\"H-b\"[1](b) \t\t# \"node2 "
      "mlx5_0\" lid 2 4xNDR\n"
      "[3]\t\"H-s\"[1](s) \t\t# \"Mellanox Technologies Aggregation Node\" lid 9 "
      "4xNDR\n[35]\t\"S-3\"[1]\t\t# \"spine\" lid 3 4xNDR\n"
      "\nSwitch\t65 \"S-2\"\t\t# \"leaf\" enhanced\n"
      "[1]\t\"H-c\"[1](c) \t\t# \"node1 mlx5_1\" lid 1 4xNDR\n[2]\t\"H-d\"[1](d) \t\t# \"node2 "
      "mlx5_1\" lid 2 4xNDR\n[35]\t\"S-3\"[2]\t\t# \"spine\" lid 3 4xNDR\n"
      "\nCa\t1 \"H-a\"\t\t# \"node1 mlx5_0\"\n[1](a) \t\"S-1\"[1]\t\t# lid 1 \"leaf\" 4xNDR\n";
  const MachineFacts m = read_machine({"ib", discovered});
  CHECK(m.nodes == 2);
  CHECK(m.nics == 2);
  CHECK(m.nic_gbits == 400);
  CHECK(m.nodes_per_leaf == 2);
  CHECK(m.oversubscription == 2);
  const ImportedRun r = composed({{"ib", discovered}}, R"({"cluster": {"node": "dgx-h100"}})");
  CHECK(value(r, "cluster.fabric.oversubscription") == 2.0);
  CHECK(value(r, "cluster.gpus") == 16);
  CHECK(value(r, "cluster.tiers.infiniband.bandwidth") == "100 GB/s");
  const ImportedRun slurm = composed({{"s",
                                       "SwitchName=core Switches=l[1-2]\nSwitchName=l1 "
                                       "Nodes=n[1-8]\nSwitchName=l2 Nodes=n[9-16]\n"}});
  CHECK(open_key(slurm, "cluster.fabric") != nullptr);
  const MachineFacts topograph =
      read_machine({"y",
                    "switches:\n  S1: {switches: [S2]}\nblocks:\n- switch: S2\n  nodes: "
                    "[\"I[21-22]\", I25]\n  annotations: {a/domain: nvl2}\n"});
  CHECK(topograph.nodes == 3);
  CHECK(topograph.nodes_per_domain == 3);
}

TEST_CASE("cells and blocks that no tool writes are no links and no nodes") {
  CHECK(read_machine({"t", matrix(8, "NV181111111111111111111111111111111", "\t")}).links_per_gpu ==
        0);
  CHECK_THROWS_AS(read_machine({"y", "switches:\n  S1: {}\nblocks:\n- sw-01\n- [a]\n"}),
                  InputError);
}

TEST_CASE("Slurm's topology.yaml says the same as its topology.conf") {
  const std::string tree =
      "---\n- topology: t1\n  cluster_default: false\n  flat: true\n- topology: t2\n"
      "  cluster_default: true\n  tree:\n    switches:\n      - switch: root\n        children: "
      "l[1-2]\n      - switch: l1\n        nodes: n[1-8]\n      - switch: l2\n        nodes: "
      "n[9-16]\n";
  const MachineFacts t = read_machine({"topology.yaml", tree});
  CHECK(t.nodes == 16);
  CHECK(t.nodes_per_leaf == 8);
  CHECK(t.nodes_per_domain == 0);
  const MachineFacts b = read_machine(
      {"topology.yaml",
       "- topology: b\n  block:\n    block_sizes: [18, 36]\n    blocks:\n      - block: b1\n"
       "        nodes: n[01-18]\n      - block: b2\n        nodes: n[19-36]\n"});
  CHECK(b.nodes == 36);
  CHECK(b.nodes_per_domain == 18);
  CHECK_THROWS_AS(read_machine({"topology.yaml", "- topology: f\n  flat: true\n"}), InputError);
}

TEST_CASE("a shape that is not shipped is the nearest node with what differs beside it") {
  std::string list;
  for (int i = 0; i < 4; ++i)
    list += "GPU " + std::to_string(i) + ": NVIDIA H100 80GB HBM3 (UUID: GPU-5f1c6b3a-0000)\n";
  const std::vector<ForeignFile> files = {{"m", matrix(4, "NV12", "\t")}, {"l", list}};
  const ImportedRun asked = composed(files);
  CHECK(value(asked, "cluster.node") == "dgx-h100");
  CHECK(value(asked, "cluster.devices_per_node") == 4);
  CHECK(value(asked, "cluster.tiers.nvswitch.size") == 4);
  CHECK(value(asked, "cluster.tiers.nvswitch.bandwidth") == "300 GB/s");
  CHECK(open_key(asked, "cluster.tiers.infiniband.bandwidth") != nullptr);
  const ImportedRun stated = composed(
      files, R"({"cluster": {"tiers": {"infiniband": {"bandwidth": "100 GB/s"}}, "gpus": 8}})");
  CHECK(stated.ignored.empty());
  std::string with_cards = matrix(4, "NV12", "\t");
  with_cards.insert(with_cards.find("CPU"), "NIC0\tNIC1\t");
  const ImportedRun cards = composed({{"m", with_cards}, files[1]});
  CHECK(value(cards, "cluster.tiers.infiniband.links") == 2);
  const ImportedRun named =
      composed({files[0]}, R"({"cluster": {"device": "h100-sxm5-80gb", "gpus": 8}})");
  CHECK(value(named, "cluster.node") == "dgx-h100");
}

TEST_CASE("links that join some GPUs only are no node of ours") {
  const std::string pairs =
      "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\nGPU0\t X \tNV12\tSYS\tSYS\t0\n"
      "GPU1\tNV12\t X \tSYS\tSYS\t0\nGPU2\tSYS\tSYS\t X \tNV12\t1\n"
      "GPU3\tSYS\tSYS\tNV12\t X \t1\n";
  const ImportedRun r = composed({{"m", pairs}});
  const LeftOver* open = open_key(r, "cluster.node");
  REQUIRE(open != nullptr);
  CHECK(open->setting.find("in groups of 2") != std::string::npos);
  CHECK(open->why.find("a100-80gb-4x200g;") == std::string::npos);
}

TEST_CASE("nvidia-smi -L says the chip, and a tray of 4 GPUs is one of a rack") {
  std::string list;
  for (int i = 0; i < 4; ++i)
    list += "GPU " + std::to_string(i) + ": NVIDIA GB300 (UUID: GPU-5f1c6b3a-0000)\n";
  CHECK(value(composed({{"l", list}}), "cluster.node") == "gb300-nvl72");
  const ImportedRun tray = composed({{"m", matrix(4, "NV18", "\t")}});
  REQUIRE(open_key(tray, "cluster.node") != nullptr);
  CHECK(open_key(tray, "cluster.node")->why.find("gb200-nvl72") != std::string::npos);
}

TEST_CASE("nvidia-smi says the chip on its screen and in lists without a header") {
  std::string screen =
      "| NVIDIA-SMI 535.129.03   Driver Version: 535.129.03   CUDA Version: 12.2 |\n";
  std::string rows;
  std::string named = "name, driver_version\n";
  for (int i = 0; i < 8; ++i) {
    screen += "|   " + std::to_string(i) +
              "  NVIDIA H100 80GB HBM3          On  | 0000:19:00.0 Off |\n" +
              "| N/A   29C    P0     69W / 700W |      2MiB / 81559MiB |      0%      Default |\n";
    rows += std::to_string(i) + ", NVIDIA A100-SXM4-40GB, 40960 MiB\n";
    named += "NVIDIA H200, 550.54.15\n";
  }
  for (const auto& [text, node] :
       {std::pair{screen, "dgx-h100"}, {rows, "dgx-a100-40gb"}, {named, "hgx-h200"}}) {
    CHECK(recognise({"f", text}).looks == kSmi);
    CHECK(value(composed({{"f", text}}), "cluster.node") == node);
  }
  CHECK(composed({{"f", "BlockName=b1 Nodes=n[1-18]\n"}}).run.contains("cluster"));
}

TEST_CASE("cards are known by their whole names: others' names go on from them") {
  const auto device = [](const std::string& name) {
    return read_machine({"f", "name, index\n" + name + ", 0\n"}).device;
  };
  for (const auto& [name, ours] : {std::pair{"NVIDIA L40S", "l40s"},
                                   {"NVIDIA L4", "l4"},
                                   {"NVIDIA A40", "a40"},
                                   {"NVIDIA A10G", "a10g"},
                                   {"NVIDIA RTX A6000", "rtx-a6000"},
                                   {"RTX A6000", "rtx-a6000"},
                                   {"NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"},
                                   {"NVIDIA GeForce RTX 4090", "rtx-4090"},
                                   {"GeForce RTX 3090", "rtx-3090"},
                                   {"NVIDIA H20", "h20-sxm-96gb"},
                                   {"NVIDIA H200 NVL", "h200-nvl"},
                                   {"Tesla T4", "t4"},
                                   {"Tesla V100-PCIE-32GB", "v100-pcie-32gb"},
                                   {"Quadro RTX 8000", "rtx-8000"},
                                   {"NVIDIA A30", "a30"},
                                   {"NVIDIA RTX A5000", "rtx-a5000"},
                                   {"NVIDIA L20", "l20"},
                                   {"NVIDIA GeForce RTX 5090", "rtx-5090"},
                                   {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000"},
                                   {"NVIDIA GB10", "gb10"},
                                   {"NVIDIA H200", "h200-sxm-141gb"}}) {
    CHECK(device(name) == ours);
  }
  CHECK(device("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition") == "rtx-pro-6000-max-q");
  for (const char* other :
       {"NVIDIA L40", "NVIDIA A10", "NVIDIA RTX A5500", "NVIDIA T4G", "NVIDIA RTX A4000",
        "NVIDIA H20-3e", "NVIDIA GeForce RTX 3090 Ti", "NVIDIA GeForce RTX 4090 D",
        "NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA L40S-48Q"}) {
    CHECK(device(other) == other);
  }
}

TEST_CASE("cards on PCIe are found by list, log, PCI id and matrix") {
  const auto list = [](const char* product, int n) {
    std::string text;
    for (int i = 0; i < n; ++i)
      text += "GPU " + std::to_string(i) + ": " + product + " (UUID: GPU-5f1c6b3a-0000)\n";
    return text;
  };
  CHECK(value(composed({{"l", list("NVIDIA A10G", 4)}}), "cluster.node") == "g5-12xlarge");
  CHECK(value(composed({{"l", list("NVIDIA A10G", 8)}}), "cluster.node") == "g5-48xlarge");
  CHECK(value(composed({{"l", list("NVIDIA L4", 8)}}), "cluster.node") == "g6-48xlarge");
  CHECK(value(composed({{"l", list("NVIDIA GeForce RTX 3090", 2)}}), "cluster.node") ==
        "rtx-3090-nvlink");
  std::string log = "==NVSMI LOG==\nAttached GPUs    : 8\n";
  for (int i = 0; i < 8; ++i) log += "    Product Name   : NVIDIA L40S\n";
  const ImportedRun l40s = composed({{"q", log}, {"m", matrix(8, "NODE", "\t")}});
  CHECK(value(l40s, "cluster.node") == "l40s-pcie");
  CHECK(l40s.ignored.empty());
  const std::string ada = nccl("vendor=\"0x10de\" device=\"0x2684\"", "sm=\"89\"", "", 25000);
  CHECK(value(composed({{"x", ada}}), "cluster.node") == "rtx-4090-pcie");
  CHECK(value(composed({{"l", list("Tesla T4", 8)}}), "cluster.node") == "g4dn-metal");
  CHECK(value(composed({{"l", list("NVIDIA GB10", 1)}}), "cluster.node") == "dgx-spark");
  const ImportedRun pair =
      composed({{"l", list("NVIDIA GeForce RTX 5090", 2)}, {"m", matrix(2, "PHB", "\t")}});
  CHECK(value(pair, "cluster.node") == "rtx-5090-pcie");
  CHECK(value(pair, "cluster.tiers.pcie.size") == 2);
  // Two of them are the shipped node with fewer.
  const ImportedRun two =
      composed({{"l", list("NVIDIA GeForce RTX 4090", 2)}, {"m", matrix(2, "PHB", "\t")}});
  CHECK(value(two, "cluster.node") == "rtx-4090-pcie");
  CHECK(value(two, "cluster.tiers.pcie.size") == 2);
}

TEST_CASE("one GPU is one of a node that has such GPUs") {
  const ImportedRun one =
      composed({{"q", "name, memory.total [MiB]\nNVIDIA RTX A6000, 49140 MiB\n"},
                {"m", "\tGPU0\tNIC0\tCPU Affinity\nGPU0\t X \tSYS\t0-71\n"}});
  CHECK(value(one, "cluster.node") == "rtx-a6000-pcie");
  CHECK(value(one, "cluster.gpus") == 1);
  CHECK(one.ignored.empty());
  const ImportedRun given = composed({{"l", "GPU 0: NVIDIA H200 (UUID: GPU-5f1c6b3a-0000)\n"}},
                                     R"({"cluster": {"gpus": 4}})");
  CHECK(value(given, "cluster.gpus").is_null());
  CHECK(open_key(given, "cluster.node") != nullptr);
}

TEST_CASE("a cloud's node is told from a maker's by its NICs alone") {
  const std::string switches = "<nvlink target=\"a\" count=\"18\" tclass=\"0x068000\"/>";
  std::string p5 = nccl("vendor=\"0x10de\" device=\"0x2330\"", "sm=\"90\"", switches, 100000);
  const std::string net = "<net name=\"rdmap\" speed=\"100000\"/>";
  for (int i = 8; i < 32; ++i) p5.insert(p5.rfind("</cpu>"), "<nic>" + net + "</nic>");
  CHECK(value(composed({{"x", p5}}), "cluster.node") == "p5-48xlarge");
}

TEST_CASE("columns between GPUs and affinities are NICs, whatever their names") {
  const MachineFacts m = read_machine(
      {"t",
       "\tGPU0\tGPU1\tmlx5_ib0\tbnxt_re1\tCPU Affinity\tGPU NUMA ID\n"
       "GPU0\t X \tNV12\tNODE\tSYS\t0-23\tN/A\nGPU1\tNV12\t X \tSYS\tNODE\t0-23\tN/A\n"});
  CHECK(m.gpus == 2);
  CHECK(m.nics == 2);
}

TEST_CASE("a node of one GPU has no links to others") {
  const MachineFacts m =
      read_machine({"t", "\tGPU0\tNIC0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tSYS\t0-71\t0\n"});
  CHECK(m.gpus == 1);
  CHECK(m.links == LinkKind::unknown);
}

TEST_CASE("AMD's tables of weights and hops before that of links are passed over") {
  const std::string rocm =
      "== Weight between two GPUs ==\n      GPU0   GPU1\nGPU0  0   15\nGPU1  15  0\n"
      "== Link Type between two GPUs ==\n      GPU0   GPU1\nGPU0  0   XGMI\nGPU1  XGMI  0 \n";
  const std::string amd =
      "ACCESS TABLE:\n             0000:05:00.0 0000:26:00.0\n0000:05:00.0 ENABLED ENABLED\n"
      "0000:26:00.0 ENABLED ENABLED\nLINK TYPE TABLE:\n             0000:05:00.0 0000:26:00.0\n"
      "0000:05:00.0 SELF XGMI\n0000:26:00.0 XGMI SELF\n";
  for (const std::string& text : {rocm, amd}) {
    const MachineFacts m = read_machine({"t", text});
    CHECK(m.gpus == 2);
    CHECK(m.links == LinkKind::xgmi);
  }
  CHECK_THROWS_WITH_AS(read_machine({"t", "GPU: 0\n    BDF: 0000:05:00.0\n    KFD_ID: 7\n"}),
                       doctest::Contains("amd-smi's list of GPUs"), InputError);
}

TEST_CASE("a GPU of several samples, and one of several that are attached, count rightly") {
  std::string samples = "timestamp, name, pci.bus_id\n";
  for (int i = 0; i < 6; ++i) {
    samples += "2024, NVIDIA H200, 00000000:0" + std::to_string(i % 2) + ":00.0\n";
  }
  CHECK(read_machine({"t", samples}).gpus == 2);
  CHECK(read_machine({"t", samples.substr(samples.find('\n') + 1)}).gpus == 2);
  const MachineFacts one =
      read_machine({"t",
                    "==NVSMI LOG==\nAttached GPUs    : 8\nGPU 00000000:1B:00.0\n"
                    "    Product Name   : NVIDIA H200\n"});
  CHECK(one.gpus == 8);
  const MachineFacts xml =
      read_machine({"t",
                    "<nvidia_smi_log>\n\t<attached_gpus>8</attached_gpus>\n"
                    "\t\t<product_name>NVIDIA H200</product_name>\n</nvidia_smi_log>\n"});
  CHECK(xml.gpus == 8);
}

TEST_CASE("a node with fewer NICs than the shipped one is asked for its network") {
  const auto with_nics = [](const char* nics) {
    std::string text = matrix(8, "NV18", "\t");
    text.replace(text.find("CPU"), 3, nics);
    return composed(
        {{"t", text},
         {"l",
          "name\n" +
              std::string("NVIDIA H100 80GB HBM3\nNVIDIA H100 80GB HBM3\nNVIDIA H100 80GB HBM3\n"
                          "NVIDIA H100 80GB HBM3\nNVIDIA H100 80GB HBM3\nNVIDIA H100 80GB HBM3\n"
                          "NVIDIA H100 80GB HBM3\nNVIDIA H100 80GB HBM3\n")}});
  };
  const ImportedRun four = with_nics("NIC0\tNIC1\tNIC2\tNIC3\tCPU");
  CHECK(value(four, "cluster.node") == "dgx-h100");
  const LeftOver* rate = open_key(four, "cluster.tiers.infiniband.bandwidth");
  REQUIRE(rate != nullptr);
  CHECK(rate->setting == "4 NICs");
  CHECK(with_nics("CPU").ignored.empty());
}

TEST_CASE("a matrix whose GPUs have other links than the first is refused") {
  std::string lost = matrix(8, "NV18", "\t");
  lost.replace(lost.rfind("NV18"), 4, "NODE");
  CHECK_THROWS_AS(read_machine({"t", lost}), InputError);
  std::string half = matrix(4, "XGMI", "   ");
  for (std::size_t at = half.find("XGMI"); at != std::string::npos; at = half.find("XGMI", at + 9))
    half.replace(at, 4, "PCIE");
  CHECK_THROWS_AS(read_machine({"t", half}), InputError);
}

TEST_CASE("a GPU of NVIDIA that is not shipped is no node of the same shape") {
  const std::string switches = "<nvlink target=\"a\" count=\"18\" tclass=\"0x068000\"/>";
  const ImportedRun r =
      composed({{"x", nccl("vendor=\"0x10de\" device=\"0x20b7\"", "sm=\"90\"", switches, 400000)}});
  REQUIRE(open_key(r, "cluster.node") != nullptr);
  CHECK(open_key(r, "cluster.node")->setting.find("PCI 10de:20b7") != std::string::npos);
  const char* display =
      "<topology><object type=\"PCIDev\" pci_type=\"0300 [10de:1e04]\"/></topology>";
  CHECK(read_machine({"x", display}).device == "PCI 10de:1e04");
}

TEST_CASE("the speed of NICs tells nodes of one shape apart") {
  std::string text = "<system version=\"1\"><cpu>";
  for (int i = 0; i < 4; ++i) {
    text += "<pci class=\"0x030200\" vendor=\"0x10de\" device=\"0x20b2\"><gpu sm=\"80\">";
    for (int k = 0; k < 3; ++k) text += "<nvlink target=\"g\" count=\"4\" tclass=\"0x030200\"/>";
    text += "</gpu></pci><nic><net name=\"n\" speed=\"200000\"/></nic>";
  }
  CHECK(value(composed({{"x", text + "</cpu></system>"}}), "cluster.node") == "a100-80gb-4x200g");
}

TEST_CASE("switches that reach every host have nothing above them") {
  std::string text;
  for (const char* leaf : {"a", "b"}) {
    text += std::string("switchguid=0x1\nSwitch\t64 \"S-") + leaf + "\"\n";
    for (const char* host : {"h1", "h2"}) {
      text += std::string("[1]\t\"H-") + host + leaf + "\"[1](0)\t# \"" + host + " mlx5_" + leaf +
              "\" lid 1 4xNDR\n";
    }
  }
  const MachineFacts m = read_machine({"t", text});
  CHECK(m.nodes_per_leaf == 2);
  CHECK(m.oversubscription == 1);
}

TEST_CASE("Slurm's keys have any case") {
  const MachineFacts m =
      read_machine({"t", "switchname=s1 nodes=tux[0-3]\nswitchname=s2 NODES=tux[4-7]\n"});
  CHECK(m.nodes == 8);
  CHECK(m.nodes_per_leaf == 4);
}

TEST_CASE("four GPUs wired to each other are GH200 or H100, which their list tells apart") {
  const std::string four = matrix(4, "NV6", "\t");
  const MachineFacts m = read_machine({"t", four});
  CHECK(m.links == LinkKind::direct);
  CHECK(m.links_per_gpu == 18);
  const auto list = [](const std::string& product) {
    std::string text;
    for (int i = 0; i < 4; ++i)
      text +=
          "GPU " + std::to_string(i) + ": " + product + " (UUID: GPU-" + std::to_string(i) + ")\n";
    return text;
  };
  const ImportedRun alone = composed({{"t", four}});
  REQUIRE(open_key(alone, "cluster.node") != nullptr);
  CHECK(open_key(alone, "cluster.node")->why.find("alps-gh200 or four H100") != std::string::npos);
  CHECK(value(composed({{"t", four}, {"l", list("NVIDIA GH200 120GB")}}), "cluster.node") ==
        "alps-gh200");
  const ImportedRun h100 = composed({{"t", four}, {"l", list("NVIDIA H100 80GB HBM3")}});
  CHECK(value(h100, "cluster.node").is_null());
  CHECK(open_key(h100, "cluster.node") != nullptr);
}

TEST_CASE("rocm-smi's product tells nodes of one shape apart") {
  std::string list = "============ Product Info ============\n";
  for (int i = 0; i < 8; ++i)
    list += "GPU[" + std::to_string(i) + "]\t\t: Card Series: \t\tAMD Instinct MI325X\n";
  const ImportedRun r = composed({{"t", matrix(8, "XGMI", "   ")}, {"l", list}});
  CHECK(value(r, "cluster.node") == "mi325x-oam-8");
  std::string older;
  for (int i = 0; i < 8; ++i)
    older += "GPU[" + std::to_string(i) + "]\t\t: Card series: \t\tAMD INSTINCT MI250X\n";
  CHECK(value(composed({{"l", older}}), "cluster.node") == "frontier-mi250x");
  const std::string rccl = nccl("vendor=\"0x1002\" device=\"0x740c\"", "gcn=\"gfx90a\"",
                                "<xgmi target=\"a\" count=\"4\"/>", 200000);
  CHECK(value(composed({{"x", rccl}}), "cluster.node") == "frontier-mi250x");
  CHECK(read_machine({"x", rccl}).chip == "gfx 910");
}

namespace {

std::string listed(const std::string& product, int n, const std::string& below = "") {
  std::string text;
  for (int i = 0; i < n; ++i)
    text += "GPU " + std::to_string(i) + ": " + product + " (UUID: GPU-" + std::to_string(i) +
            ")\n" + below;
  return text;
}

}  // namespace

TEST_CASE("A site's A100 nodes are offered only where as many NICs show") {
  const std::string gpus = listed("NVIDIA A100-SXM4-80GB", 8);
  const auto node = [&](const std::string& text) {
    return value(composed({{"t", text}, {"l", gpus}}), "cluster.node");
  };
  CHECK(node(matrix(8, "NV12", "\t")) == "dgx-a100-80gb");
  std::string four = matrix(8, "NV12", "\t");
  four.replace(four.find("CPU"), 3, "NIC0\tNIC1\tNIC2\tNIC3\tCPU");
  CHECK(node(four).is_null());
  const ImportedRun bare = composed({{"t", matrix(8, "NV12", "\t")}});
  REQUIRE(open_key(bare, "cluster.node") != nullptr);
  CHECK(open_key(bare, "cluster.node")->why.find("jean-zay") == std::string::npos);
}

TEST_CASE("PCIe and bridges alone tell no GPU") {
  for (const std::string& text : {matrix(4, "PHB", "\t"), matrix(2, "NV4", "\t")})
    CHECK(open_key(composed({{"t", text}}), "cluster.node") != nullptr);
  CHECK(
      value(composed({{"t", matrix(2, "NV4", "\t")}, {"l", listed("NVIDIA GeForce RTX 3090", 2)}}),
            "cluster.node") == "rtx-3090-nvlink");
}

TEST_CASE("Products of another form are no shipped node's") {
  for (const char* product :
       {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "NVIDIA H800 PCIe"})
    CHECK(open_key(composed({{"l", listed(product, 8)}}), "cluster.node") != nullptr);
  CHECK(value(composed({{"l", listed("A100-SXM-80GB", 8)}}), "cluster.node") == "dgx-a100-80gb");
}

TEST_CASE("GPUs that are cut into instances are refused") {
  const std::string log =
      "==============NVSMI LOG==============\nAttached GPUs : 1\nGPU 00000000:1B:00.0\n"
      "    Product Name                          : NVIDIA A100-SXM4-40GB\n    MIG Mode\n"
      "        Current                           : Enabled\n";
  CHECK_THROWS_AS(composed({{"q", log}}), InputError);
  const std::string instance = "  MIG 3g.40gb     Device  0: (UUID: MIG-c1)\n";
  CHECK_THROWS_AS(composed({{"l", listed("NVIDIA A100-SXM4-80GB", 8, instance)}}), InputError);
  const std::string screen =
      "| NVIDIA-SMI 550.1 |\n|   0  NVIDIA H100 80GB HBM3   On |  00000000:19:00.0 Off |   On |\n"
      "|                                |                       |       Enabled |\n";
  CHECK_THROWS_AS(composed({{"s", screen}}), InputError);
  CHECK_THROWS_AS(composed({{"c", "name, mig.mode.current\nNVIDIA H100 80GB HBM3, Enabled\n"}}),
                  InputError);
}

TEST_CASE("A list of one card beside a matrix of several says which GPU they are") {
  const std::string card =
      "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n\t Link 0: 26.562 GB/s\n"
      "\t Link 1: 26.562 GB/s\n";
  const std::string all = matrix(8, "NV18", "\t");
  for (const std::vector<ForeignFile>& files :
       {std::vector<ForeignFile>{{"both.txt", all + "\n" + card}},
        std::vector<ForeignFile>{{"m.txt", all}, {"l.txt", card}},
        std::vector<ForeignFile>{{"l.txt", "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n"},
                                 {"m.txt", all}}}) {
    const ImportedRun r = composed(files);
    CHECK(value(r, "cluster.node") == "dgx-h100");
    CHECK(value(r, "cluster.gpus").is_null());
    CHECK(r.gpus.node == 8);
  }
}

TEST_CASE("A matrix of rocm-smi beside one card's name is the node of the matrix") {
  std::string text = "===== Link Type between two GPUs =====\n";
  text += "       ";
  for (int i = 0; i < 8; ++i) text += "GPU" + std::to_string(i) + "         ";
  text += "\n";
  for (int i = 0; i < 8; ++i) {
    text += "GPU" + std::to_string(i) + "   ";
    for (int k = 0; k < 8; ++k) text += i == k ? "0            " : "XGMI         ";
    text += "\n";
  }
  text += "GPU[0]\t\t: Card Series: \t\tAMD Instinct MI300X OAM\n";
  const ImportedRun r = composed({{"a.txt", text}});
  CHECK(value(r, "cluster.node") == "mi300x-oam-8");
  CHECK(r.gpus.node == 8);
}

}  // namespace orrery
