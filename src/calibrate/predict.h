// SPDX-License-Identifier: Apache-2.0
//
// The time of a measured work item by the formulas of cost/ and network/.
//
// There is no formula here: a calibration moves the constants of those modules. Attention measured
// forward and backward together is the sum of the two. Without a mask it has its own half length,
// derived from that of causal attention in the documents. A copy to the host takes its latency and
// its bytes over the link. Leaves out overlap. Units: SI. Errors: none.
#pragma once

#include "calibrate/measurement.h"
#include "hardware/cluster.h"
#include "network/group.h"

namespace orrery {

// A group of neighbouring ranks that begins at the edge of a unit.
Group group_of_ranks(const Cluster& c, std::int64_t ranks);

Seconds predicted_time(const Measurement& m, const Cluster& c);

}  // namespace orrery
