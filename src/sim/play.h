// SPDX-License-Identifier: Apache-2.0
//
// A step as events: every stage of every replica separately, messages as flows that share links.
//
// An actor is one stage of one replica: the ranks that work on one micro batch together, because
// tensor, context and expert parallelism tie them. Its streams are compute (one pass at a time, in
// the schedule's order), pipeline (sends) and data parallel (reductions and gathers). A unit of a
// tier has one link out and one in; sends use all of it, data parallelism its share of a fabric.
// Without contention, times equal the sweep's bit for bit. Leaves out: contention between replicas,
// whose shares are in the costs already (network/group.h, sharers). Errors: none.
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
  std::uint64_t rate_changes = 0;  // flows that other flows slowed down, or stopped slowing
};

PlayedStep play_step(const StepPlan& plan, const PassGraph& graph, const Effects& effects,
                     const Speeds& speeds, Keep keep = Keep::stages);

}  // namespace orrery
