// SPDX-License-Identifier: Apache-2.0
//
// A what-if of time: replicas of the model that synchronise every H steps in place of every one, as
// local SGD and DiLoCo (arXiv:2311.08105) do.
//
// Only what holds the whole model can go on alone: the ranks that weights are sharded over, that
// cut one sequence (cp) and that experts are spread over are one replica together. What data
// parallelism leaves exposed beyond the bounds of a replica then comes once in H steps; what stays
// inside one is as it is. Where the weights are sharded over all ranks there is no such replica.
// Leaves out whether the model converges as well, other hyperparameters, memory for an outer
// optimizer or for states that were sharded over more than a replica, and ranks placed by a list.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "capacity/bandwidth.h"
#include "capacity/outcome.h"
#include "capacity/training_time.h"

namespace orrery {

inline constexpr std::array<std::int64_t, 4> kSyncEvery = {8, 32, 128, 512};

struct PeriodicSync {
  std::int64_t every = 1;
  Seconds wall{};
};

struct PeriodicSyncs {
  std::int64_t ranks = 1;         // data parallel ones, of the phase with most replicas
  std::int64_t replicas = 1;      // of the model, each with all its weights
  bool states_go_beyond = false;  // gradients or optimizer states are sharded over several
  std::vector<PeriodicSync> at;   // none where one replica is all, or where nothing is exposed
};

// Replicas that hold the whole model, each on dp/replicas data parallel ranks.
std::int64_t whole_replicas(const Strategy& s);

// `pieces`: the runs of the pieces of `t`.
PeriodicSyncs periodic_syncs(const OutcomeInputs& in, const TrainingTime& t,
                             const std::vector<PieceRun>& pieces);

}  // namespace orrery
