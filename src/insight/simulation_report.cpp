// SPDX-License-Identifier: Apache-2.0
#include "insight/simulation_report.h"

#include <utility>

namespace orrery {

SimulationReport report_on_simulation(ResolvedRun resolved, SimulationOptions options,
                                      const std::optional<SavedStates>& saved) {
  SimulationReport r{report_on(std::move(resolved)), {}, saved};
  if (saved) {
    const bool beside = saved->mode == CheckpointMode::asynchronous;
    options.save = {saved->cost.stall, beside ? saved->cost.copy : Seconds(), saved->stopped, 0};
  }
  r.simulation = simulate(r.run.resolved.run, options);
  r.run.answer = r.simulation.answer;
  r.run.resolved.run = r.simulation.run;
  return r;
}

}  // namespace orrery
