// SPDX-License-Identifier: Apache-2.0
//
// The smallest size of a cluster that meets what is required.
//
// Sizes of 1, 2, 3, 4, 6, 8, … nodes are tried until each requirement is met by one; then those
// between it and the size before, node by node (at most kMostBetween of them, evenly spread where
// there are more). A requirement that no size meets gives the one that comes nearest. What breaks a
// rule of strategies or does not fit is passed over. Leaves out parts of nodes, and sizes above
// 262,144 GPUs. Errors: InputError.
#pragma once

#include <vector>

#include "capacity/capacity.h"

namespace orrery {

inline constexpr std::int64_t kMostBetween = 32;

// For each requirement the smallest, or the nearest; of a lone option with one requirement the size
// below it too, for what less would do. One that is refused where all are.
std::vector<OptionAnswer> smallest_sizes(const CapacityPlan& plan, const OptionPlan& option,
                                         const PlanContext& context);

}  // namespace orrery
