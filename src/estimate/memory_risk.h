// SPDX-License-Identifier: Apache-2.0
//
// How sure a run must be that it fits (estimate/risk.h). Errors: none.
#pragma once

namespace orrery {

// The error of predicted memory, and how much of a device a choice of Orrery's own may need so that
// it fits with the probability that was asked for (estimate/risk.h). By default nothing is known.
struct MemoryRisk {
  double spread = 0;  // of ln(measured/predicted) peak, one standard deviation
  double share = 1;   // of the device's memory
};

}  // namespace orrery
