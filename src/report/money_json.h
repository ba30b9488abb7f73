// SPDX-License-Identifier: Apache-2.0
//
// Money, and the sources of what it was computed from, in JSON.
#pragma once

#include <optional>
#include <vector>

#include "core/json_fwd.h"
#include "core/money.h"

namespace orrery {

struct Assumption;

// null where it is not known.
Json money_json(const std::optional<Money>& m);

Json assumptions_json(const std::vector<Assumption>& all);

}  // namespace orrery
