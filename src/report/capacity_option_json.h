// SPDX-License-Identifier: Apache-2.0
//
// One option of a plan in JSON: its time, failures, checkpoint, energy, cost, data and what
// matters. SI units, days, hours and the plan's currency, each in its key; null where nothing is
// known.
#pragma once

#include "core/json.h"
#include "report/capacity_report.h"

namespace orrery {

// Of one that does not fit, the reason alone.
Json option_json(const CapacityReport& r, const OptionAnswer& o);

}  // namespace orrery
