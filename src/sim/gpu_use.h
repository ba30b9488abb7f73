// SPDX-License-Identifier: Apache-2.0
//
// Where GPUs differ, or all are played: which replica is looked at, and what every GPU does.
//
// Replicas that are alike are one class (disturb.h). A GPU is busy for its stage's kernels, as much
// longer as it is slow, with half of the jitter, which is its mean. Leaves out: what a GPU waits
// for inside a pass. Units: SI; shares of the step. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/disturb.h"
#include "sim/step_clock.h"

namespace orrery {

// What every GPU does where they differ, or all are played.
struct GpuUse {
  std::int64_t replicas_played = 1;
  std::int64_t actors = 0;
  std::int64_t ranks_of_actor = 1;
  std::int64_t slowest_replica = 0;  // of the independent ones: what the timeline shows
  std::vector<double> slowness;      // by rank: of its kernels; empty where all are alike
  std::vector<double> busy_share;    // by rank: kernels over the step
};

// Of the classes played, `stages` actors each: the one that ends its last pass latest.
std::size_t last_ready(const StepClock& times, std::size_t stages);

// The speeds of one class alone.
Speeds speeds_of_class(const Speeds& all, std::size_t shown, std::size_t stages);

GpuUse gpu_use(const Run& run, const StepPlan& plan, const Crowd& crowd, const Disturbances& d,
               std::size_t shown, Seconds step);

}  // namespace orrery
