// SPDX-License-Identifier: Apache-2.0
//
// A schedule of trainings on pools of GPUs: which pool and how many GPUs each takes, when it
// starts, what waits.
//
// A pool holds so many GPUs at any time. A training has ways to run: a pool, GPUs, a time, a rent;
// it starts no earlier than it is ready and is not interrupted. Schedules are compared by, in this
// order,
//
//   Σ priority·max(0, end − deadline),   the rent,   Σ priority·end
//
// The search places trainings one after another, each at the earliest start that its pool allows,
// over orders and ways: such schedules hold an optimum of each aim that never rises where a
// training ends earlier (serial generation; Kolisch 1996, doi:10.1016/0377-2217(95)00357-6). Up to
// kMostNodes placements it is exact: a branch ends where its lateness and rent, with those that the
// trainings still to place have at least, are no better than the best schedule known. The start
// is the best of greedy orders: by deadline, by priority, by length. Beyond kMostNodes the answer
// is the best found, and `bound` says what lateness no schedule can be below.
//
// Leaves out: trainings that pause, grow or shrink, that share GPUs, that follow each other;
// repair, maintenance. Units: SI. Errors: none; a training without a way stays unplaced.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/money.h"
#include "orrery/quantity.h"

namespace orrery {

struct FleetWay {
  std::size_t pool = 0;
  std::int64_t gpus = 0;
  Seconds time{};
  Money rent;  // of all its time, in the plan's currency
};

struct FleetJob {
  double priority = 1;  // what a second of delay weighs
  Seconds ready{};
  std::optional<Seconds> deadline;
  std::vector<FleetWay> ways;
};

struct FleetPlacement {
  bool placed = false;
  std::size_t way = 0;
  Seconds start{};
  Seconds end{};
};

struct FleetScore {
  double lateness = 0;  // Σ priority·late seconds
  Money rent;
  double ends = 0;  // Σ priority·end

  friend bool operator<(const FleetScore& a, const FleetScore& b);
};

struct FleetSchedule {
  std::vector<FleetPlacement> jobs;  // as given
  FleetScore score;
  bool exact = true;
  double bound = 0;  // of the lateness
  std::int64_t nodes = 0;
};

inline constexpr std::int64_t kMostNodes = 400'000;

// `pools`: GPUs of each.
FleetSchedule schedule(const std::vector<FleetJob>& jobs, const std::vector<std::int64_t>& pools,
                       std::int64_t most_nodes = kMostNodes);

// GPUs of a pool that are busy at a time, and the most that are at once.
std::int64_t busy_at(const std::vector<FleetJob>& jobs, const FleetSchedule& s, std::size_t pool,
                     Seconds time);
std::int64_t most_busy(const std::vector<FleetJob>& jobs, const FleetSchedule& s, std::size_t pool);

// GPU-seconds of a pool that are in use, over those that it has until the last training ends.
double used_share(const std::vector<FleetJob>& jobs, const FleetSchedule& s, std::size_t pool,
                  std::int64_t gpus);

}  // namespace orrery
