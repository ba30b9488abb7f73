// SPDX-License-Identifier: Apache-2.0
//
// The answer to `compare`: for a person, as JSON and as CSV, a row a number.
#pragma once

#include <string>

#include "document/words.h"
#include "insight/compare.h"

namespace orrery {

Json comparison_json(const Comparison& c);
std::string comparison_text(const Comparison& c, const Style& style);
std::string comparison_csv(const Comparison& c);

}  // namespace orrery
