// SPDX-License-Identifier: Apache-2.0
//
// Parts of an imported run that depend on the machine of the command line: how many GPUs of a
// machine the job takes, and kernels that its GPUs lack.
//
// Leaves out: what a machine's own files say (exchange/machine). Errors: those of the node's file.
#pragma once

#include <cstdint>
#include <vector>

#include "exchange/foreign.h"

namespace orrery {

// GPUs that a launcher, a job's header or Accelerate's file takes of one machine; 0 where none says
// it.
std::int64_t gpus_of_machine(const std::vector<ForeignFile>& files);

// `imported` with the command line's keys over it. Several machines of which each gives some of its
// GPUs are no node of all of them: asks for cluster.devices_per_node.
void fit_nodes(ImportedRun& imported, const ConfigLookup& lookup);

// Transformer Engine has no fused attention before Ampere: Megatron-LM's is then unfused.
void fit_attention(ImportedRun& imported, const ConfigLookup& lookup);

}  // namespace orrery
