// SPDX-License-Identifier: Apache-2.0
//
// Everything a capacity plan is lent: documents, workers and the metrics of the rooms that report.
#pragma once

#include <string>

#include "capacity/plan.h"
#include "engine/hooks.h"

namespace orrery {

// `beside` is the directory of the plan, "" for none; `jobs` as workers_of() has it.
PlanContext plan_context(const CommandContext& context, const std::string& beside, unsigned jobs);

}  // namespace orrery
