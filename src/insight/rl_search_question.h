// SPDX-License-Identifier: Apache-2.0
//
// The options of a search of a run with training.rl (rl_search_report.h). Errors: none.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "capacity/prices_json.h"

namespace orrery {

struct SearchOptions;

struct RlSearchQuestion {
  std::vector<std::string> keep;
  std::vector<std::string> where;   // conditions (rl_conditions.h)
  std::optional<PriceBook> prices;  // shows what a step costs
  bool cheapest = false;            // looks for the least cost, not the least time
  std::function<void(SearchOptions&)> adjust;
};

}  // namespace orrery
