// SPDX-License-Identifier: Apache-2.0
//
// What files of a machine say of its nodes and of the network between them, composed into
// `cluster`: the shipped node of the same shape, and what differs from it.
//
// Read: `nvidia-smi topo -m` and `rocm-smi --showtopotype` (links of each pair, NICs), NCCL's and
// RCCL's topology XML (chip, links, speed of NICs), `nvidia-smi -q` and `--query-gpu` (GPUs),
// lstopo's XML (PCI devices), ibnetdiscover (leaves, rails, speed, oversubscription), Slurm's
// topology.conf and topograph's YAML (which nodes share a switch or an NVLink domain). What a
// format does not say is left open by key: the chip, the speed of NICs, the oversubscription.
//
// Errors: InputError for a file that says nothing of a machine, with the line where it can.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exchange/import_files.h"

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
  std::int64_t nodes_per_leaf = 0;
  double oversubscription = 0;
  std::int64_t nodes_per_domain = 0;  // of NVLink
  bool has_fabric = false;
};

MachineFacts read_machine(const ForeignFile& file);

// `files`: those of one cluster; a fact that two say differently is left open.
ImportedRun import_machine(const std::vector<ForeignFile>& files, const ImportJob& job);

namespace machine {
MachineFacts read_topology_matrix(const ForeignFile& file);
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
