// SPDX-License-Identifier: Apache-2.0
//
// If GPUs differ, or all are simulated: the replica to show, and how busy every GPU is.
//
// Equal replicas are one class (disturb.h). A GPU is busy for its stage's kernels times its
// slowness, with the mean of the jitter, which is half of it. Leaves out: waiting inside a pass.
// Units: SI; shares of the step. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/disturb.h"
#include "sim/step_clock.h"

namespace orrery {

// How busy every GPU is, if they differ or all are simulated.
struct GpuUse {
  std::int64_t replicas_played = 1;
  std::int64_t actors = 0;
  std::int64_t ranks_of_actor = 1;
  std::int64_t slowest_replica = 0;  // the independent replica that the timeline shows
  std::vector<double> slowness;      // by rank, of its kernels; empty if all are equal
  std::vector<double> busy_share;    // by rank, time of kernels over the step
};

// The simulated class, of `stages` actors each, that ends its last pass latest.
std::size_t last_ready(const StepClock& times, std::size_t stages);

// The speeds of one class alone.
Speeds speeds_of_class(const Speeds& all, std::size_t shown, std::size_t stages);

GpuUse gpu_use(const Run& run, const StepPlan& plan, const SimulatedReplicas& simulated,
               const Disturbances& d, std::size_t shown, Seconds step);

}  // namespace orrery
