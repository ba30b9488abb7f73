// SPDX-License-Identifier: Apache-2.0
//
// One option at one size: the strategy of every phase, its steps, and the results.
#pragma once

#include "capacity/capacity.h"

namespace orrery {

OptionAnswer answer_option(const CapacityPlan& plan, const OptionPlan& option, std::int64_t gpus,
                           const PlanContext& context);

}  // namespace orrery
