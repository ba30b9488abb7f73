// SPDX-License-Identifier: Apache-2.0
//
// The numbers of GPUs among which the smallest cluster is sought.
//
// Where the run names its layout: every multiple of a replica (tp·cp·pp) whose data parallel degree
// times the micro batch divides the batch, of each phase and each step of a ramp; a `dp` that is
// given leaves one. Parts of nodes are among them. Where the strategy is searched: parts of one
// node that divide it, and every number of whole nodes. The run's own size always. What else
// legality asks (experts, shard groups, schedules) the trial of a size says. Leaves out sizes above
// 262,144 GPUs, but for the run's own, and strategies searched on parts of nodes beside whole ones.
// Errors: InputError.
#pragma once

#include <cstdint>
#include <vector>

#include "capacity/plan.h"

namespace orrery {

inline constexpr std::int64_t kMostLadderGpus = std::int64_t{1} << 18U;
inline constexpr std::size_t kMostRungs = 200;

struct LadderSizes {
  std::vector<std::int64_t> all;    // rising
  std::vector<std::int64_t> rungs;  // of them, what is tried first; all, where they are kMostRungs
  std::int64_t own = 0;             // the run's; 0: it names none
};

LadderSizes ladder_sizes(const OptionPlan& option, const PlanContext& context);

}  // namespace orrery
