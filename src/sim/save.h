// SPDX-License-Identifier: Apache-2.0
//
// A checkpoint in the step: the states at the end of the step before are saved while this one runs.
//
// Training stands still for `stall`. The copy to host memory begins with the step and uses each
// GPU's host link; kernels lose a share of the time beside it (cost/beside.h), and the update waits
// for it, because it overwrites the copied states. The durations come from capacity/checkpoint.h.
// Leaves out: the way from the hosts to the storage, which also affects other steps; offloaded
// tensors on the same link. Units: seconds. Errors: none.
#pragma once

#include <algorithm>

#include "orrery/quantity.h"

namespace orrery {

struct Save {
  Seconds stall{};
  Seconds copy{};
  Seconds stopped{};    // the stall, if nothing ran beside it
  double slowdown = 0;  // of kernels beside the copy

  bool any() const { return stall + copy > Seconds(); }
};

// Time lost by a pass that begins at `begin` if the states are in host memory at `copied`.
inline Seconds lost_beside_copy(double slowdown, Seconds copied, Seconds begin, Seconds kernels) {
  return slowdown * std::clamp(copied - begin, Seconds(), kernels);
}

}  // namespace orrery
