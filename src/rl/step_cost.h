// SPDX-License-Identifier: Apache-2.0
//
// The rent of the GPUs of a step of reinforcement learning.
//
//   cost = step · (GPUs that learn · their rent + GPUs that generate · theirs)
//
// Each GPU is paid for as long as the step takes, at work or waiting. Colocated GPUs are of the
// learner's kind and count once. Leaves out nodes that are rented whole, storage, failures (for a
// whole training: capacity/rl_training.h). Errors: none.
#pragma once

#include "estimate/rl_run.h"
#include "rl/gpu_rents.h"

namespace orrery {

// GPUs that learn; colocated, or where nothing is generated, all of them.
inline std::int64_t learner_gpus(const RlRun& rl) {
  const bool apart = rl.generates && rl.placement.kind != PlacementKind::colocated;
  return apart ? rl.all_gpus - rl.placement.rollout_gpus : rl.all_gpus;
}

inline MoneyPerSecond rent_of_gpus(const RlRun& rl, const GpuRents& rents) {
  const std::int64_t learn = learner_gpus(rl);
  return rents.learner * static_cast<double>(learn) +
         rents.generator * static_cast<double>(rl.all_gpus - learn);
}

inline Money cost_of_step(const RlRun& rl, Seconds step, const GpuRents& rents) {
  return rent_of_gpus(rl, rents) * step;
}

}  // namespace orrery
