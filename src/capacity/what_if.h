// SPDX-License-Identifier: Apache-2.0
//
// The worth of each bandwidth (days, money and energy with one bandwidth at half and at twice its
// rate) and of replicas that synchronise every H steps instead of every step.
//
// A changed bandwidth leaves all else as it is: efficiencies, latencies, the peak power of the
// hardware and the strategy. Another strategy might gain more (for that use a plan with two
// clusters and `search`).
//
// Synchronising every H steps is local SGD and DiLoCo (arXiv:2311.08105). Only a group of ranks
// that holds the whole model can go on alone: the ranks that shard the weights, split a sequence
// (cp) or hold different experts form one replica. The exposed data parallel time between replicas
// then occurs once in H steps; inside a replica nothing changes. If the weights are sharded over
// all ranks there is only one replica.
//
// A replica alone holds the states that were sharded over several; where they do not fit there is
// no such training.
//
// Leaves out effects on convergence, other hyperparameters, memory for an outer optimizer, and
// ranks placed by a list. Units: SI. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "capacity/outcome.h"
#include "capacity/training_time.h"

namespace orrery {

struct PieceRun;
struct Strategy;

// The effects of the network between nodes, the links inside them, a GPU's memory and its host
// link; only those that change anything.
std::vector<Sensitivity> bandwidth_what_ifs(const OutcomeInputs& in,
                                            const std::vector<PieceRun>& pieces);

inline constexpr std::array<std::int64_t, 4> kSyncEvery = {8, 32, 128, 512};

struct PeriodicSync {
  std::int64_t every = 1;
  Seconds wall{};
};

struct PeriodicSyncs {
  std::int64_t ranks = 1;         // data parallel ranks, of the phase with the most replicas
  std::int64_t replicas = 1;      // of the model, each with all its weights
  bool states_go_beyond = false;  // gradients or optimizer states are sharded over several
  Bytes peak{};                   // of a GPU whose replica is alone, of the piece that needs most
  bool fits = true;               // that peak
  std::vector<PeriodicSync> at;  // empty with one replica, if nothing is exposed or it does not fit
};

inline constexpr std::array<double, 6> kPowerCaps = {1, 0.9, 0.8, 0.7, 0.6, 0.5};  // of the rating

// Caps of a device to look at, the highest first: these shares of its rating, in whole watts, as
// far as its clock law holds, and `kept`, but not the cap that it has. None for a device without
// that law.
std::vector<Watts> power_caps(const Cluster& c, std::optional<Watts> kept);

struct PowerCapped {
  Watts cap{};  // of a device
  Outcome outcome;
};

// The same training with each device under another power cap, the one that keeps the site's limit
// among them: its clock, and so its rates, follow (hardware/clock_law.h).
std::vector<PowerCapped> under_power_caps(const OutcomeInputs& in,
                                          const std::vector<PieceRun>& pieces,
                                          std::optional<Watts> limit);

// GPUs of the smallest job with this layout that fits: as few replicas as hold the whole model with
// its experts and the states that are sharded over them; the run's own where no smaller one does.
std::int64_t least_job(const Run& run);

// Number of replicas of the whole model, each on dp/replicas data parallel ranks.
std::int64_t whole_replicas(const Strategy& s);

// `pieces`: the runs of the pieces of `t`.
PeriodicSyncs periodic_syncs(const OutcomeInputs& in, const TrainingTime& t,
                             const std::vector<PieceRun>& pieces);

// Wall time where a step uses the gradients of k steps before: their exchange runs beside the next
// step, and bounds it, for k = 1 as for more. Empty if none is exposed. Effects on convergence are
// not modelled.
std::optional<Seconds> time_with_late_gradients(const OutcomeInputs& in, const TrainingTime& t,
                                                const std::vector<PieceRun>& pieces);

}  // namespace orrery
