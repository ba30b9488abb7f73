// SPDX-License-Identifier: Apache-2.0
//
// The outcome of one option of a plan in JSON: time, goodput, checkpoints, energy and cost.
#pragma once

#include <optional>
#include <vector>

#include "core/json_fwd.h"
#include "report/capacity.h"

namespace orrery {

// Adds "time", "goodput", "checkpoint", "energy" and "cost".
void add_outcome(const CapacityReport& r, const OptionAnswer& o, Json& j);

// A list of the bill of materials (report/capacity_words.h).
Json materials_json(const OptionAnswer& o);

Json assumptions_json(const std::vector<Assumption>& all);

// null where it is not known.
Json money_json(const std::optional<Money>& m);

}  // namespace orrery
