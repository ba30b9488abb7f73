// SPDX-License-Identifier: Apache-2.0
//
// The smallest size of a cluster that meets the requirements.
//
// The possible sizes (sizes.h) have rungs. The rungs are tried from the smallest up until each
// requirement is met; those on which no deadline can be met at the device's peak are passed over,
// and where strategies are searched those that would have to be a tenth more efficient than the
// best size so far. Then the sizes between the last rung that misses a requirement and the first
// that meets it are tried from the smallest up: at most kMostBetween, evenly spread; the answer
// says how many were left out. A refused size says nothing about smaller ones. If no rung meets a
// requirement, the sizes on both sides of the nearest rung are tried; if they fail, that rung is
// the answer. For a run that names its layout every size is a rung, so nothing is assumed; if
// strategies are searched, days are assumed to fall from rung to rung, sizes are compared by the
// layouts that most runs use, and the layout of the answer is the best of more (option.h). Errors:
// InputError.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "capacity/capacity.h"

namespace orrery {

inline constexpr std::size_t kMostBetween = 128;

struct SmallestFound {
  // For each requirement the smallest size, or the nearest; beside a deadline also a size that
  // meets it at the upper end of its days, where the three next rungs have one; and the cheapest of
  // all tried that meets every one: one rung beyond the smallest is tried for it. For a single
  // option with one requirement also the next smaller size, to show what it lacks. If all are
  // refused, the run's own size and the one nearest to a fit.
  std::vector<OptionAnswer> options;
  SizesTried tried;
};

// Calls `tried` before each size.
SmallestFound smallest_sizes(const CapacityPlan& plan, const OptionPlan& option,
                             const PlanContext& context, const std::function<void()>& tried);

}  // namespace orrery
