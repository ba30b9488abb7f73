// SPDX-License-Identifier: Apache-2.0
// What ibnetdiscover, topograph and racks of NVLink say of nodes and of the network between them.
#include <doctest/doctest.h>

#include "core/error.h"
#include "exchange/machine/machine.h"

namespace orrery {
namespace {

struct Port {
  std::string host;
  std::string adapter;
  std::string rate;
};

// A switch with these ports and as many to another switch.
std::string leaf(const std::string& guid, const std::vector<Port>& ports, int up,
                 const std::string& rate = "4xNDR") {
  std::string text = "switchguid=0x1\nSwitch\t64 \"S-" + guid + "\"\n";
  for (const Port& p : ports) {
    text += "[1]\t\"H-" + p.host + p.adapter + "\"[1](0)\t# \"" + p.host + " " + p.adapter +
            "\" lid 1 " + p.rate + "\n";
  }
  for (int i = 0; i < up; ++i) text += "[9]\t\"S-spine\"[1]\t# \"spine\" lid 2 " + rate + "\n";
  return text;
}

}  // namespace

TEST_CASE("ports of two lanes have half the rate, in NICs and above them") {
  const MachineFacts m = read_machine({"t", leaf("a",
                                                 {{"h1", "mlx5_0", "2xHDR"},
                                                  {"h2", "mlx5_0", "2xHDR"},
                                                  {"h3", "mlx5_0", "2xHDR"},
                                                  {"h4", "mlx5_0", "2xHDR"}},
                                                 1, "4xHDR")});
  CHECK(m.nic_gbits == 100);
  CHECK(m.oversubscription == 2);
}

TEST_CASE("hosts of management and adapters without a host's name are no nodes") {
  const std::string rails = leaf("a", {{"h1", "a", "4xNDR"}, {"h2", "a", "4xNDR"}}, 2) +
                            leaf("b", {{"h1", "b", "4xNDR"}, {"h2", "b", "4xNDR"}}, 2) +
                            leaf("c", {{"h1", "c", "4xNDR"}, {"h2", "c", "4xNDR"}}, 2);
  const MachineFacts m = read_machine(
      {"t",
       rails + leaf("d",
                    {{"ufm", "a", "4xNDR"}, {"MT4129 ConnectX7", "Mellanox Technologies", "4xNDR"}},
                    2)});
  CHECK(m.nodes == 2);
  CHECK(m.nics == 3);
  CHECK(m.nodes_per_leaf == 2);
}

TEST_CASE("two adapters of one name are refused: they would make one host of two") {
  const std::string text = leaf("a", {{"localhost", "mlx5_0", "4xNDR"}}, 1);
  const std::string other = "[2]\t\"H-other\"[1](0)\t# \"localhost mlx5_0\" lid 3 4xNDR\n";
  CHECK_THROWS_WITH_AS(read_machine({"t", text + other}), doctest::Contains("two adapters"),
                       InputError);
}

TEST_CASE("a switch of an older topograph model lists its blocks by name") {
  const MachineFacts m = read_machine(
      {"t",
       "switches:\n- name: core\n  switches: [s1, s2]\n- name: s1\n  capacity_blocks: [b1, b2]\n"
       "- name: s2\n  capacity_blocks: [b3]\n"
       "capacity_blocks:\n- {name: b1, nvlink: n1, nodes: [a, b]}\n"
       "- {name: b2, nvlink: n1, nodes: [c, d]}\n- {name: b3, nvlink: n2, nodes: ['e[1-3]']}\n"});
  CHECK(m.nodes == 7);
  CHECK(m.nodes_per_leaf == 4);
  CHECK(m.nodes_per_domain == 4);
}

TEST_CASE("nvidia-smi's XML names the GPUs of a node") {
  const MachineFacts m = read_machine(
      {"t",
       "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<product_name>NVIDIA H200</product_name>\n"
       "<product_name>NVIDIA H200</product_name>\n</nvidia_smi_log>\n"});
  CHECK(m.gpus == 2);
  CHECK(m.device == "h200-sxm-141gb");
}

TEST_CASE("a tree of a rack's hosts is read as one of them") {
  std::string text = "<system version=\"2\">";
  for (const char* host : {"0x1", "0x2", "0x3"}) {
    text += std::string("<cpu host_hash=\"") + host + "\">";
    for (int i = 0; i < 4; ++i) {
      text +=
          "<pci class=\"0x030200\" vendor=\"0x10de\" device=\"0x2941\"><gpu sm=\"100\">"
          "<nvlink target=\"f\" count=\"18\" tclass=\"0x068000\"/></gpu></pci>"
          "<nic><net name=\"n\" speed=\"400000\"/></nic>";
    }
    text += "</cpu>";
  }
  const MachineFacts m = read_machine({"t", text + "</system>"});
  CHECK(m.device == "gb200");
  CHECK(m.gpus == 4);
  CHECK(m.nics == 4);
  CHECK(m.links_per_gpu == 18);
}

namespace {

// Rails of `nodes` hosts with an adapter at each of `n` leaves, and as many ports up.
std::string rails(int n, const std::vector<std::string>& nodes, const std::string& more = "") {
  std::string text;
  for (int r = 0; r < n; ++r) {
    std::vector<Port> ports;
    for (const std::string& host : nodes) ports.push_back({host, "m" + std::to_string(r), "4xNDR"});
    text += leaf("leaf" + std::to_string(r), ports, static_cast<int>(nodes.size()));
    if (r == 0) text += more;
  }
  return text;
}

std::string ports_to(const std::string& other, int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += "[1]\t\"S-" + other + "\"[1]\t# \"s\" lid 2 4xNDR\n";
  return text;
}

// A pod of two leaves with four hosts, joined by one spine that has `up` ports to a core.
std::string pod(const std::string& name, int down_of_leaf, int up_of_leaf, int up_of_spine) {
  std::string text;
  for (const char* l : {"a", "b"}) {
    text += "Switch\t64 \"S-" + name + l + "\"\n";
    for (int i = 0; i < down_of_leaf; ++i) {
      const std::string host = name + l + std::to_string(i);
      text += "[1]\t\"H-" + host + "\"[1](0)\t# \"" + host + " m0\" lid 1 4xNDR\n";
    }
    text += ports_to(name + "spine", up_of_leaf);
  }
  text += "Switch\t64 \"S-" + name + "spine\"\n" + ports_to(name + "a", up_of_leaf) +
          ports_to(name + "b", up_of_leaf);
  return "switchguid=0x1\n" + text + ports_to("core", up_of_spine);
}

const LeftOver* left(const MachineFacts& m, const std::string& part) {
  for (const LeftOver& l : m.left) {
    if ((l.setting + l.why).find(part) != std::string::npos) return &l;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("hosts of storage are more than those that train, and are left out by name") {
  std::string storage;
  for (int i = 0; i < 6; ++i) {
    const std::string name = "stor" + std::to_string(i);
    storage += "[3]\t\"H-" + name + "\"[1](0)\t# \"" + name + " m0\" lid 1 4xNDR\n";
  }
  const MachineFacts m = read_machine({"t", rails(8, {"d1", "d2", "d3", "d4"}, storage)});
  CHECK(m.nics == 8);
  CHECK(m.nodes == 4);
  CHECK(m.nodes_per_leaf == 4);
  REQUIRE(left(m, "stor0, stor1, stor2 and 3 more") != nullptr);
  CHECK_FALSE(left(m, "stor0")->is_refused);
  // Hosts of 4 adapters carry as much as those of 8: either may train.
  std::string half = rails(8, {"d1", "d2"});
  for (int r = 0; r < 4; ++r) {
    half += leaf("x" + std::to_string(r),
                 {{"e1", "m" + std::to_string(r), "4xNDR"},
                  {"e2", "m" + std::to_string(r), "4xNDR"},
                  {"e3", "m" + std::to_string(r), "4xNDR"}},
                 2);
  }
  const MachineFacts unsure = read_machine({"t", half});
  REQUIRE(left(unsure, "which of them train") != nullptr);
  CHECK(left(unsure, "which of them train")->is_refused);
}

TEST_CASE("the first level with less up than down ends the pod") {
  // Two pods of four hosts, eight ports down and one up at each spine.
  const MachineFacts two = read_machine({"t", pod("p", 2, 2, 1) + pod("q", 2, 2, 1)});
  CHECK(two.nodes == 8);
  CHECK(two.nodes_per_leaf == 4);
  CHECK(two.oversubscription == 4);
  CHECK(two.left.empty());
  // One pod: its traffic does not reach the core.
  const MachineFacts one = read_machine({"t", pod("p", 2, 2, 1)});
  CHECK(one.oversubscription == 1);
  REQUIRE(left(one, "no traffic of theirs") != nullptr);
  // Two ratios are one too many for a fat tree of ours.
  const MachineFacts both = read_machine({"t", pod("p", 2, 1, 1) + pod("q", 2, 1, 1)});
  REQUIRE(left(both, "\"oversubscription\": 4") != nullptr);
  CHECK(left(both, "takes their product")->key == "cluster.fabric");
}

TEST_CASE("every speed of a port is known by its whole name, and others stop") {
  const auto speed = [](const std::string& word) {
    return read_machine({"t", leaf("a", {{"h1", "m", word}, {"h2", "m", word}}, 2, word)});
  };
  CHECK(speed("4xFDR10").nic_gbits == 40);
  CHECK(speed("4xSDR").nic_gbits == 10);
  CHECK(speed("4xDDR").nic_gbits == 20);
  CHECK(speed("4xQDR").nic_gbits == 40);
  CHECK(speed("4xFDR").nic_gbits == 56);
  CHECK(speed("4xEDR").nic_gbits == 100);
  CHECK(speed("8xXDR").nic_gbits == 1600);
  const MachineFacts m = speed("4xZDR");
  CHECK(m.nic_gbits == 0);
  REQUIRE(left(m, "4xZDR") != nullptr);
  CHECK(left(m, "4xZDR")->is_refused);
}

TEST_CASE("a backslash continues a line of Slurm's") {
  const MachineFacts m =
      read_machine({"t", "SwitchName=s0 Nodes=tux[0-3],\\\n  tux[4-7]\nSwitchName=s1 Nodes=a\n"});
  CHECK(m.nodes == 9);
  CHECK(m.nodes_per_leaf == 8);
}

TEST_CASE("switches and blocks of topograph have their names as keys, too") {
  const MachineFacts m =
      read_machine({"t",
                    "switches:\n  core: {switches: [l1, l2]}\n  l1: {nodes: ['n[1-4]']}\n"
                    "  l2: {nodes: ['n[5-8]']}\n"});
  CHECK(m.nodes == 8);
  CHECK(m.nodes_per_leaf == 4);
  const MachineFacts blocks = read_machine(
      {"t",
       "switches:\n  l1: {capacity_blocks: [b1]}\n  l2: {capacity_blocks: [b2]}\n"
       "capacity_blocks:\n- {name: b1, nodes: ['n[1-4]']}\n- {name: b2, nodes: ['n[5-8]']}\n"});
  CHECK(blocks.nodes_per_leaf == 4);
}

}  // namespace orrery
