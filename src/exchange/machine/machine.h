// SPDX-License-Identifier: Apache-2.0
//
// The nodes of a machine and the network between them, from its files, composed into `cluster`:
// the shipped node of the same shape, and what differs from it.
//
// Read: `nvidia-smi topo -m` and `rocm-smi --showtopotype` (links of each pair, NICs), NCCL's and
// RCCL's topology XML (chip, links, speed of NICs), `nvidia-smi -q` and `--query-gpu` (GPUs),
// lstopo's XML (PCI devices), ibnetdiscover (leaves, rails, speed, oversubscription), Slurm's
// topology.conf and topograph's YAML (which nodes share a switch or an NVLink domain). Facts
// that no format has are left open by key: the chip, the speed of NICs, the oversubscription.
//
// Errors: InputError for a file that says nothing of a machine, with the line where it can.
#pragma once

#include <vector>

#include "exchange/import_files.h"
#include "exchange/machine/facts.h"

namespace orrery {

MachineFacts read_machine(const ForeignFile& file);

// `files`: those of one cluster; a fact that two say differently is left open.
ImportedRun import_machine(const std::vector<ForeignFile>& files, const ImportJob& job);

}  // namespace orrery
