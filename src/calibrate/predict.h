// SPDX-License-Identifier: Apache-2.0
//
// What the forms of cost/ and network/ say a measured piece of work takes.
//
// No formula of its own: a calibration moves the constants of those forms. Attention measured
// forward and backward together is the sum of the two; without a mask it has a half length of its
// own, told from that of causal attention, which the documents hold. A copy to the host takes its
// latency and its bytes over the link. Leaves out overlap. Units: SI. Errors: none.
#pragma once

#include "calibrate/measurement.h"
#include "hardware/cluster.h"
#include "network/group.h"

namespace orrery {

// Whose ranks sit side by side, from the edge of a unit.
Group group_of_ranks(const Cluster& c, std::int64_t ranks);

Seconds predicted_time(const Measurement& m, const Cluster& c);

}  // namespace orrery
