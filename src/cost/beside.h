// SPDX-License-Identifier: Apache-2.0
//
// The slowdown of compute and other traffic of the GPU that run at the same time.
//
// Compute and a collective take multiprocessors and memory bandwidth from each other, and a share
// of that time is lost. The closed form charges it for weights gathered in every micro batch
// (stage.cpp), the simulator on request also for traffic beside passes once a step
// (step_clock.cpp). A copy between device and host takes no multiprocessors, but its bytes cross
// the device's memory: a memory-bound kernel loses the link's share of its bandwidth. For products
// this is an upper bound. Leaves out which of the two is delayed. Units: seconds; the share is
// `communication_slowdown` of the framework. Errors: none.
#pragma once

#include "core/number.h"
#include "cost/memory_time.h"

namespace orrery {

template <Number R>
SecondsOf<R> lost_beside(R share, SecondsOf<R> both) {
  return share * both;
}

inline double slowdown_beside_copies(const Device& d) {
  return d.host_link.bandwidth / attained_memory_bandwidth<double>(d);
}

}  // namespace orrery
