// SPDX-License-Identifier: Apache-2.0
#include "estimate/open_load.h"

#include <algorithm>
#include <string>

#include "estimate/estimate.h"
#include "estimate/run.h"

namespace orrery {
namespace {

// The middle of 1.05 to 1.15, and as likely as not: of published runs about half force balance.
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
  run.training.expert_load =
      std::min(kLoadInTraining, most_expert_load(run.model, run.strategy.ep));
  const Answer uneven = estimate<double>(run, workspace);
  run.training.expert_load = taken;
  return OpenKey{"",
                 "1",
                 "benchmarks force the balance of experts, trainings do not",
                 {{"1.1", kShareOfTrainings, uneven.step_time / even.step_time,
                   uneven.memory.peak / even.memory.peak}}};
}

}  // namespace orrery
