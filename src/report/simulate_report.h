// SPDX-License-Identifier: Apache-2.0
//
// The answer to `simulate`: for a person, as JSON (the keys of `estimate --json`, with the times
// simulated, and `timeline`), and as CSV, a row a stage.
#pragma once

#include <optional>
#include <string>

#include "capacity/checkpoint.h"
#include "core/json.h"
#include "document/words.h"
#include "report/run_report.h"
#include "sim/simulate.h"

namespace orrery {

// A checkpoint of which the step played has its part.
struct SavedStates {
  CheckpointMode mode = CheckpointMode::synchronous;
  CheckpointCost cost;
  Seconds stopped{};  // its stall, were it synchronous
};

struct SimulationReport {
  RunReport run;  // its answer is the simulated one
  Simulation simulation;
  std::optional<SavedStates> saved{};
};

SimulationReport report_on_simulation(ResolvedRun resolved, SimulationOptions options,
                                      const std::optional<SavedStates>& saved = {});

std::string simulation_text(const SimulationReport& r, const Style& style);
Json simulation_json(const SimulationReport& r);
std::string simulation_csv(const SimulationReport& r);

// "stage 3", "stages 0, 7": who a link of the chain belongs to.
std::string chain_item_text(const ChainItem& item);

}  // namespace orrery
