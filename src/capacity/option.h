// SPDX-License-Identifier: Apache-2.0
//
// One option at one size: the strategy of every phase, its steps, and the results. Trying it tells
// what requirements are judged by: its status, its outcome and, where one must be met surely, the
// range. Completing it adds all else. Where a search finds nothing that fits, saying why takes a
// second one that judges every strategy: whoever tries many sizes may leave it out.
#pragma once

#include "capacity/capacity.h"

namespace orrery {

enum class Refusals : bool { brief, explained };

OptionAnswer try_option(const CapacityPlan& plan, const OptionPlan& option, std::int64_t gpus,
                        const PlanContext& context, Refusals refusals = Refusals::explained);
void complete_option(const CapacityPlan& plan, OptionAnswer& tried);

// Both at once.
OptionAnswer answer_option(const CapacityPlan& plan, const OptionPlan& option, std::int64_t gpus,
                           const PlanContext& context);

}  // namespace orrery
