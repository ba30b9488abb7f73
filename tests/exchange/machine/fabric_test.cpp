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

}  // namespace orrery
