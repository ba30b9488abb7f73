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

#include "sim/stage_links.h"
#include "sim/step_clock.h"
#include "sim/sweep_step.h"

namespace orrery {

struct PlayedStep {
  StepClock times;
  std::vector<LinkUse> links;  // those in use
  std::uint64_t events = 0;
  std::uint64_t rate_changes = 0;  // flows slowed down or let go again by others
};

PlayedStep play_step(const StepPlan& plan, const PassGraph& graph, const Effects& effects,
                     const Speeds& speeds, Keep keep = Keep::stages);

}  // namespace orrery
