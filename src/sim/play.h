// SPDX-License-Identifier: Apache-2.0
//
// A step as events: every stage of every replica on its own, messages as flows that share links.
//
// An actor is one stage of one replica: the ranks that tensor, context and expert parallelism keep
// in step, which pass one micro batch together. Its streams are compute (one pass at a time, in the
// schedule's order), pipeline (sends) and data parallel (reductions and gathers). A unit of a tier
// has one link out and one in; sends take all of it, data parallelism its share of a fabric.
// Where nothing contends, times equal the sweep's to the bit. Leaves out: contention between
// replicas, whose shares the costs have already (network/group.h, sharers).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/step_clock.h"
#include "sim/sweep_step.h"

namespace orrery {

// How actors differ; empty: all alike.
struct Speeds {
  std::int64_t replicas = 1;
  std::int64_t first_replica = 0;  // its number, for what is random
  std::vector<double> compute;     // by actor: how much longer its kernels take
  std::vector<double> link;        // by actor: how much longer its messages take
  double jitter = 0;  // of one pass's kernels on one rank: up to this much longer, evenly
  std::int64_t ranks_of_actor = 1;
  std::uint64_t seed = 0;
};

struct LinkUse {
  std::uint16_t stage = 0;
  std::uint8_t tier = 0;
  bool out = true;
  double busy = 0;  // seconds at full rate, of all replicas together
};

struct PlayedStep {
  StepClock times;
  std::vector<LinkUse> links;  // those in use
  std::uint64_t events = 0;
  std::uint64_t rate_changes = 0;  // flows slowed down or let go again by others
};

PlayedStep play_step(const StepPlan& plan, const PassGraph& graph, const Effects& effects,
                     const Speeds& speeds, Keep keep = Keep::stages);

// Even over [0, 1), the same for the same arguments everywhere.
double even_number(std::uint64_t seed, std::uint64_t a, std::uint64_t b);

}  // namespace orrery
