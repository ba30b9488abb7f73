// SPDX-License-Identifier: Apache-2.0
//
// Policies of recovery, the rows of configs/recovery: how a job finds a failure, on what it trains
// on, and from which copy of its state.
//
//   {"name": "hot-standby", "restart": {"2048": "41.8 s", "16384": "70.7 s"},
//    "restart_in_place": {…}, "startup": {"8192": "14.5 s", "98304": "265 s"},
//    "detection": {"error": "60 s", "hang": "30 min", "silent": "8 h", "slow": "1 d"},
//    "memory": {"every_steps": 1, "stall": "0.04 s", "covers": 0.99},
//    "replica": {"away": "10 min", "covers": 0.9, "loses_step": true}, "avoids": 0.5,
//    "source": "…"}
//
// restart: until training runs again on other nodes, by GPUs, without what the storage takes to
// read; `restart_in_place`, where no node leaves. Between two sizes ln(time) is linear in ln(GPUs).
// Beyond the last the time grows as `startup` does, by so many seconds: what the library takes to
// connect all ranks; without it, with the slope of the last two sizes. That growth is a guess: it
// may be nothing, or as much again (`beyond_measured`). Detection of a silent fault holds the steps
// that were trained on it. memory: a copy of the state in other nodes' memory, from which a share
// of the failures is recovered. replica: the others train on while one of several replicas
// restarts, or, without `away`, until its node is repaired, so that no spare is needed;
// `restart_in_place` is then how long they wait, and `loses_step` whether the step in flight is
// trained anew. Failures that take several nodes at once are recovered from the storage. avoids:
// the share of failures that take a node which does not happen, because nodes that fail again and
// again are left out. A policy that restarts a replica is no policy of a job with one replica.
//
// Leaves out: the time of spare nodes in self checks; restarts that come out on fewer nodes but for
// whole replicas. Errors: none.
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
  std::optional<Seconds> away;  // of the replica; else until its node is repaired
  double covers = 0;            // share of the failures
  bool loses_step = false;      // the step in flight is trained anew
};

struct RecoveryPolicy {
  std::string name;
  std::optional<TimeBySize> restart;
  std::optional<TimeBySize> restart_in_place;
  std::optional<TimeBySize> startup;
  EnumArray<FaultSign, std::optional<Seconds>> detection{};
  std::optional<MemoryCopies> memory;
  std::optional<ReplicaRestart> replica;
  double avoids = 0;
};

// The job that a policy recovers.
struct JobShape {
  std::int64_t gpus = 1;
  std::int64_t replicas = 1;
  Seconds longest_step{};
};

bool is_policy_of(const RecoveryPolicy& p, std::int64_t replicas);

// Factors of the policy's restarts at the ends of their range: 1 up to the largest size that was
// measured.
Ranged<double> beyond_measured(const RecoveryPolicy& p, std::int64_t gpus);

// The classes of failures that are left under the policy.
Interruptions left_by(const RecoveryPolicy& p, Interruptions i);

// `r`, of a job that restarts from the storage within `read` of a node's start, under the policy;
// `i`: left by it. Its restarts take `times` as long.
Recovery under(const RecoveryPolicy& p, const Interruptions& i, const JobShape& job, Seconds read,
               double times, Recovery r);

}  // namespace orrery
