// SPDX-License-Identifier: Apache-2.0
//
// The answer to `search`: for a person, as JSON and as CSV.
#pragma once

#include <string>

#include "document/words.h"
#include "insight/search_report.h"

namespace orrery {

Json search_json(const SearchReport& r);
std::string search_text(const SearchReport& r, const Style& style);
std::string search_csv(const SearchReport& r);  // a row for each of the best

}  // namespace orrery
