// SPDX-License-Identifier: Apache-2.0
//
// Causes of slow communication that NCCL's own lines name: TCP in place of InfiniBand between
// nodes, host memory in place of direct copies inside one. Leaves out how much they cost: beside a
// log and a run, the step decides (insight/causes.h). Errors: none.
#pragma once

#include <string>
#include <vector>

#include "exchange/messages/nccl_setup.h"
#include "insight/diagnosed_cause.h"

namespace orrery {

// `is_one_node`: the job is known to have one, so that nothing goes over a network.
std::vector<DiagnosedCause> causes_of_setup(const NcclSetup& setup, bool is_one_node);

// Checks that would decide whether slow links explain a step.
std::string network_check(const NcclSetup& setup);
std::string peer_check(const NcclSetup& setup);

}  // namespace orrery
