// SPDX-License-Identifier: Apache-2.0
//
// When everything of a step happens, and the costs both clocks count with.
//
// The end of a step, on every stage: its gradients' bare reduction when its last pass is done; the
// shared embedding, where first and last stage have one; then all wait for the norm of all
// gradients, update, and gather weights unless the framework does so under the next forward, which
// stands at the beginning here. A step is taken as one of many alike.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph.h"
#include "sim/plan.h"

namespace orrery {

// What happens at once: each may be left out, or taken in, to see what it does.
struct Effects {
  bool contention = true;  // flows share links
  // Kernels suffer beside a reduction or gather. The devices' constant is fitted on stacks that
  // gather all the time, whose passes have it in both clocks; what others suffer is in the
  // efficiencies fitted on their runs, so here it would count twice.
  bool slowdown = false;
  bool sends_overlap = true;  // a stage goes on while its result is sent
};

struct CostTable {
  std::vector<double> pass;     // by slot
  std::vector<double> compute;  // of it, kernels
  std::vector<double> send;     // by slot · 2: of its forward result; + 1: of its gradient
};

CostTable cost_table(const StepPlan& plan, const PassGraph& graph, const Effects& effects);

// What of a stage's traffic runs beside the passes of one micro batch through one of its cells.
Seconds beside_forward(const StepPlan& plan, std::size_t cell);
Seconds beside_backward(const StepPlan& plan, std::size_t cell);

struct StageTimes {
  double gathered = 0;  // weights are there, passes may begin
  double finished = 0;  // the last pass is done
  double reduced = 0;
  double joined = 0;  // with the shared embedding's gradient, where the stage has one
  double updated = 0;
  double end = 0;
};

struct StepClock {
  double step = 0;
  std::vector<StageTimes> stages;  // by actor: replica · p + stage
  std::vector<double> pass_begin;  // by replica and node; empty where not asked for
  std::vector<double> pass_end;
  std::vector<double> arrival;  // by replica and result: when it is where it is needed
};

double start_of(const StepPlan& plan, std::size_t stage);

// All after the last pass of every stage, `finished` being filled in.
void finish_step(const StepPlan& plan, StepClock& times);

}  // namespace orrery
