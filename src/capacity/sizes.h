// SPDX-License-Identifier: Apache-2.0
//
// The numbers of GPUs to try for the smallest cluster.
//
// If the run names its layout: every multiple of a replica (tp·cp·pp) whose data parallel degree
// times the micro batch divides the batch, of each phase and each step of a ramp; with a given `dp`
// there is one. Parts of nodes are included. If the strategy is searched: the divisors of one node,
// and every number of whole nodes. Always: the run's own size. Other rules (experts, shard groups,
// schedules) are checked when a size is tried. Leaves out sizes above 262,144 GPUs, except the
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
};

LadderSizes ladder_sizes(const OptionPlan& option, const PlanContext& context);

}  // namespace orrery
