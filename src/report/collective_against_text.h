// SPDX-License-Identifier: Apache-2.0
//
// Measured collectives beside their prediction: for a person, as JSON and as CSV.
#pragma once

#include <string>
#include <vector>

#include "core/json_fwd.h"
#include "document/words.h"
#include "insight/collective_against.h"

namespace orrery {

// One curve point by point, several a line each and all points together.
std::string collective_against_text(const std::vector<AgainstCurve>& curves, const Style& style);
Json collective_against_json(const std::vector<AgainstCurve>& curves);
std::string collective_against_csv(const std::vector<AgainstCurve>& curves);

}  // namespace orrery
