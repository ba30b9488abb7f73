// SPDX-License-Identifier: Apache-2.0
//
// The answer to `simulate`: for a person, as JSON (the keys of `estimate --json`, with the times
// simulated, and `timeline`), and as CSV, a row a stage.
#pragma once

#include <string>

#include "core/json.h"
#include "document/words.h"
#include "insight/simulation_report.h"

namespace orrery {

std::string simulation_text(const SimulationReport& r, const Style& style);
Json simulation_json(const SimulationReport& r);
std::string simulation_csv(const SimulationReport& r);

// "stage 3", "stages 0, 7": who a link of the chain belongs to.
std::string chain_item_text(const ChainItem& item);

}  // namespace orrery
