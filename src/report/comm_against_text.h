// SPDX-License-Identifier: Apache-2.0
//
// Predicted messages beside a measured log: for a person, as JSON and as CSV.
#pragma once

#include <string>

#include "document/words.h"
#include "insight/comm_against.h"

namespace orrery {

Json comm_against_json(const CommAgainst& a);

// One line a class or row: matched, only predicted, only measured.
std::string comm_against_csv(const CommAgainst& a);
std::string comm_against_text(const CommAgainst& a, const Style& style);

}  // namespace orrery
