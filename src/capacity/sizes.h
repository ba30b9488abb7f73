// SPDX-License-Identifier: Apache-2.0
//
// The numbers of GPUs to try for the smallest cluster.
//
// If the run names its layout: every multiple of a replica (tp·cp·pp) whose data parallel degree
// times the micro batch divides the batch, of each phase and each step of a ramp; with a given `dp`
// there is one. Parts of nodes are included. If the strategy is searched: the divisors of one node,
// and every number of whole nodes. Always: the run's own size. Other rules (experts, shard groups,
// schedules) are checked when a size is tried. Reinforcement learning tries the
// run's size, halved and doubled up to three times. Leaves out sizes above 262,144 GPUs, except the
// run's own, and strategies searched on whole nodes and a part. Errors: InputError.
#pragma once

#include <cstdint>
#include <vector>

#include "capacity/plan.h"

namespace orrery {

inline constexpr std::int64_t kMostLadderGpus = std::int64_t{1} << 18U;
inline constexpr std::size_t kMostRungs = 200;

struct LadderSizes {
  std::vector<std::int64_t> all;    // rising
  std::vector<std::int64_t> rungs;  // the sizes tried first; all of them, up to kMostRungs
  std::int64_t own = 0;             // the run's; 0: it names none
  // 0 for a training with more batches than one, and where `dp` is given.
  std::int64_t global_batch = 0;
  std::int64_t grid = 0;      // sizes are multiples of this, were it not for the batch
  std::int64_t batch_of = 0;  // the batch is a multiple of this for each `grid` of a size
  // One GPU computes the training's products in it at its peak; 0: not known. No size can be
  // faster: time at n GPUs is at least this over n.
  Seconds least_gpu_time{};
  Cluster cluster;  // of the first phase, with the run's own size
};

// Batches this far from the run's are tried.
inline constexpr double kOtherBatch = 0.1;

inline constexpr std::size_t kMostOtherBatches = 64;

// The multiples of `unit` within kOtherBatch of the batch, the nearest first; at most
// kMostOtherBatches.
std::vector<std::int64_t> near_batches(std::int64_t batch, std::int64_t unit);

// The option with another global batch in its first phase.
OptionPlan with_batch(OptionPlan option, std::int64_t global_batch);

// The option with its devices under this cap.
OptionPlan with_power_cap(OptionPlan option, Watts cap);

LadderSizes ladder_sizes(const OptionPlan& option, const PlanContext& context);

}  // namespace orrery
