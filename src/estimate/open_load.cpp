// SPDX-License-Identifier: Apache-2.0
#include "estimate/open_load.h"

#include <algorithm>
#include <string>

#include "core/units.h"
#include "estimate/estimate.h"
#include "estimate/run.h"

namespace orrery {
namespace {

// Assumed: the middle of the 1.05 to 1.15 that trainings with a balancing loss or bias print, and
// as likely as not, since about half of published runs force balance.
constexpr double kLoadInTraining = 1.1;
constexpr double kShareOfTrainings = 0.5;

bool waits_for_fullest(const Run& run) {
  const MixtureOfExperts& moe = run.model.moe;
  const bool padded = moe.capacity_factor > 0 && moe.pads_to_capacity;
  return is_moe(run.model) && run.strategy.ep > 1 && !padded;
}

}  // namespace

std::optional<OpenKey> open_expert_load(Run& run, Workspace& workspace) {
  if (!waits_for_fullest(run)) return std::nullopt;
  const Answer even = estimate<double>(run, workspace);
  const double taken = run.training.expert_load;
  const double load = std::min(kLoadInTraining, most_expert_load(run.model, run.strategy.ep));
  run.training.expert_load = load;
  const Answer uneven = estimate<double>(run, workspace);
  run.training.expert_load = taken;
  return OpenKey{"",
                 "1",
                 "benchmarks force the balance of experts, trainings do not",
                 {{shortest(load), kShareOfTrainings, uneven.step_time / even.step_time,
                   uneven.memory.peak / even.memory.peak}}};
}

}  // namespace orrery
