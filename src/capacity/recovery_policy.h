// SPDX-License-Identifier: Apache-2.0
//
// Policies of recovery, the rows of configs/recovery: how a job finds a failure, on what it trains
// on, and from which copy of its state.
//
//   {"name": "hot-standby", "restart": {"2048": "41.8 s", "16384": "70.7 s"},
//    "restart_in_place": {…}, "detection": {"error": "60 s", "hang": "30 min", "silent": "8 h"},
//    "memory": {"every_steps": 1, "stall": "0.04 s", "covers": 0.99},
//    "replica": {"away": "10 min", "covers": 0.9}, "source": "…"}
//
// restart: until training runs again on other nodes, by GPUs, without what the storage takes to
// read; `restart_in_place`, where no node leaves. Between two sizes ln(time) is linear in ln(GPUs);
// beyond them it goes on with the slope of the last two. Detection of a silent fault holds the
// steps that were trained on it. memory: a copy of the state in other nodes' memory, from which a
// share of the failures is recovered. replica: the others train on while one of several replicas
// restarts; `restart_in_place` is then how long they wait.
// A policy that restarts a replica is no policy of a job with one replica.
//
// Leaves out: failures of several nodes at once, but for the share that is not covered; the time of
// spare nodes in self checks; restarts that come out on fewer nodes. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capacity/goodput.h"
#include "core/enum_names.h"
#include "orrery/quantity.h"

namespace orrery {

struct TimeAtSize {
  std::int64_t gpus = 0;
  Seconds time{};
};
using TimeBySize = std::vector<TimeAtSize>;  // by rising GPUs; one: the same at each size

Seconds time_at(const TimeBySize& table, std::int64_t gpus);

// Some failure always takes the copies or all replicas with it.
inline constexpr double kMostCovered = 0.9999;

struct MemoryCopies {
  std::int64_t every_steps = 1;
  Seconds stall{};
  double covers = 0;  // share of the failures
};

struct ReplicaRestart {
  Seconds away{};     // of the replica
  double covers = 0;  // share of the failures
};

struct RecoveryPolicy {
  std::string name;
  std::optional<TimeBySize> restart;
  std::optional<TimeBySize> restart_in_place;
  EnumArray<FaultSign, std::optional<Seconds>> detection{};
  std::optional<MemoryCopies> memory;
  std::optional<ReplicaRestart> replica;
};

// The job that a policy recovers.
struct JobShape {
  std::int64_t gpus = 1;
  std::int64_t replicas = 1;
  Seconds longest_step{};
};

bool is_policy_of(const RecoveryPolicy& p, std::int64_t replicas);

// `r`, of a job that restarts from the storage within `read` of a node's start, under the policy.
Recovery under(const RecoveryPolicy& p, const Interruptions& i, const JobShape& job, Seconds read,
               Recovery r);

}  // namespace orrery
