// SPDX-License-Identifier: Apache-2.0
//
// The facts of a machine that one file has, and the readers of each form
// (exchange/machine/machine.h).
//
// Errors: InputError with the line where a text breaks its form.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/enum_names.h"
#include "exchange/foreign_file.h"
#include "exchange/left_over.h"

namespace orrery {

enum class LinkKind : std::uint8_t { unknown, pcie, direct, switched, xgmi };
constexpr EnumNames<LinkKind> names_of(LinkKind) {
  return {"links", "PCIe alone", "NVLink wired directly", "NVLink through a switch", "xGMI"};
}

// 0 and "" where a file does not say it.
struct MachineFacts {
  std::int64_t gpus = 0;  // of a node
  std::string device;     // ours
  std::string chip;       // "sm 90", "gfx 942"
  LinkKind links = LinkKind::unknown;
  std::int64_t links_per_gpu = 0;
  std::int64_t joined = 0;  // GPUs that the direct links of one join, itself among them
  std::int64_t nics = 0;
  double nic_gbits = 0;  // of one
  std::int64_t nodes = 0;
  std::int64_t nodes_per_leaf = 0;  // of the pod that has full rate within
  double oversubscription = 0;
  std::int64_t nodes_per_domain = 0;  // of NVLink
  bool has_fabric = false;
  std::string family;          // of the GPUs, as a scheduler calls it: "GB200"
  double pcie_gbytes = 0;      // GB/s a direction of a GPU's PCIe link
  bool pcie_may_rest = false;  // a GPU without work may have lowered its link
  // Parts of the file that count for nothing, each by name, or that stop the import.
  std::vector<LeftOver> left = {};
};

namespace machine {
MachineFacts read_topology_matrix(const ForeignFile& file);
// True of a text with a whole matrix of several GPUs, whatever stands beside it.
bool has_matrix(const ForeignFile& file);
MachineFacts read_smi(const ForeignFile& file);
MachineFacts read_nccl_xml(const ForeignFile& file);
MachineFacts read_lstopo(const ForeignFile& file);
MachineFacts read_ibnetdiscover(const ForeignFile& file);
MachineFacts read_slurm(const ForeignFile& file);
MachineFacts read_topograph(const ForeignFile& file);

// Hosts of "a[1-3,7],b2".
std::int64_t count_hosts(const std::string& list);
}  // namespace machine

}  // namespace orrery
