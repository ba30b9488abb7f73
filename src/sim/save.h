// SPDX-License-Identifier: Apache-2.0
//
// A checkpoint in the step: the states the step before left behind are saved while this one runs.
//
// Training stands still for `stall`. The copy to host memory begins with the step and runs over
// each GPU's host link; kernels lose a share of the time in which it runs beside them
// (cost/beside.h), and the update waits for it, since it writes what is copied. How long all this
// takes capacity/checkpoint.h says. Leaves out: the way from the hosts to the storage, which other
// steps see as well; offloaded tensors on the same link. Units: seconds. Errors: none.
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

// What a pass that begins at `begin` loses, the states being in host memory at `copied`.
inline double lost_beside_copy(double slowdown, double copied, double begin, double kernels) {
  return slowdown * std::clamp(copied - begin, 0.0, kernels);
}

}  // namespace orrery
