// SPDX-License-Identifier: Apache-2.0
#include "insight/simulation_report.h"

#include <utility>

#include "core/error.h"
#include "estimate/run_keys.h"
#include "estimate/training_keys.h"
#include "sim/simulate.h"

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

void check_playable(const ResolvedRun& r) {
  const std::int64_t n = passes_of(r.run);
  if (n > kMostPasses) {
    throw InputError(r.file, key_path<&Training::global_batch>,
                     std::to_string(n) + " passes of micro batches through stages",
                     "up to " + std::to_string(kMostPasses) + "; `orrery estimate` has no limit");
  }
  if (r.run.framework.level.factor != 1) {
    throw InputError(r.file, kStackKeys.path,
                     "a level of a stack, which scales no step that is played",
                     "no stack and no --observed");
  }
}

}  // namespace orrery
