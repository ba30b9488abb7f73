// SPDX-License-Identifier: Apache-2.0
//
// A run with its step played, and with the checkpoint of which the step has its part. Errors: as of
// simulate().
#pragma once

#include <optional>

#include "capacity/checkpoint.h"
#include "estimate/resolve.h"
#include "insight/run_report.h"
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

void check_playable(const ResolvedRun& r);

}  // namespace orrery
