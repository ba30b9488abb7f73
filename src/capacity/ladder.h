// SPDX-License-Identifier: Apache-2.0
//
// The smallest size of a cluster that meets what is required.
//
// Of the sizes a cluster may have (sizes.h) the rungs are tried from the smallest on, until each
// requirement is met by one; then every size between the last rung that misses it and the first
// that meets it, from the smallest on, at most kMostBetween of them, evenly spread where there are
// more: how many were left out is said. A size that is refused says nothing of those below it. A
// requirement that no rung meets is sought on both sides of the one that comes nearest, which is
// the answer where that fails too. Of a run that names its layout the rungs are all the sizes there
// are, so that nothing is taken for granted; where strategies are searched, days are taken to fall
// from rung to rung. Errors: InputError.
#pragma once

#include <string>
#include <vector>

#include "capacity/capacity.h"

namespace orrery {

inline constexpr std::size_t kMostBetween = 128;

struct SmallestFound {
  // For each requirement the smallest, or the nearest; of a lone option with one requirement the
  // size below it too, for what less would do. Where all are refused, the run's own size and the
  // one that came nearest to a fit.
  std::vector<OptionAnswer> options;
  SizesTried tried;
};

SmallestFound smallest_sizes(const CapacityPlan& plan, const OptionPlan& option,
                             const PlanContext& context);

}  // namespace orrery
