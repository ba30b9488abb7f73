// SPDX-License-Identifier: Apache-2.0
//
// One option at one size: the strategy of every phase, its steps, and the results. Trying it tells
// what requirements are judged by: its status, its outcome and, where one must be met surely, the
// range. Completing it adds all else.
#pragma once

#include "capacity/capacity.h"

namespace orrery {

OptionAnswer try_option(const CapacityPlan& plan, const OptionPlan& option, std::int64_t gpus,
                        const PlanContext& context);
void complete_option(const CapacityPlan& plan, OptionAnswer& tried);

// Both at once.
OptionAnswer answer_option(const CapacityPlan& plan, const OptionPlan& option, std::int64_t gpus,
                           const PlanContext& context);

}  // namespace orrery
