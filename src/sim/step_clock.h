// SPDX-License-Identifier: Apache-2.0
//
// When everything of a step happens, and the costs both clocks count with.
//
// The end of a step, on every stage: its gradients' bare reduction when its last pass is done, then
// the sum with the stage that holds the same parameters, if one does; then all wait for the norm of
// all gradients, update, and gather weights unless the framework does so under the next forward,
// which stands at the beginning here. Stages that go on by themselves wait for no norm, and the
// step is the longest time from a stage's begin to its end. A step is taken as one of many alike.
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

// Of one kind of pass: all of it, and of that kernels.
struct PassTime {
  Seconds all{};
  Seconds kernels{};
};

PassTime pass_time(const StepPlan& plan, const PassSlot& slot);

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
  double copied = 0;    // a checkpoint's states are in host memory
  double gathered = 0;  // weights are there, passes may begin
  double finished = 0;  // the last pass is done
  double reduced = 0;
  double joined = 0;  // with the shared embedding's gradient, where the stage has one
  double updated = 0;
  double end = 0;
};

// How actors differ; empty: all alike. An actor is a stage of a replica: replica · p + stage.
struct Speeds {
  std::int64_t replicas = 1;
  std::int64_t first_replica = 0;  // its number, for what is random
  std::vector<double> compute;     // by actor: how much longer its kernels take
  std::vector<double> link;        // by actor: how much longer its messages take
  double jitter = 0;  // of one pass's kernels on one rank: up to this much longer, evenly
  std::int64_t ranks_of_actor = 1;
  std::uint64_t seed = 0;
};

inline double kernel_factor(const Speeds& s, std::size_t actor) {
  return s.compute.empty() ? 1 : s.compute[actor];
}
inline double link_factor(const Speeds& s, std::size_t actor) {
  return s.link.empty() ? 1 : s.link[actor];
}

struct StepClock {
  double step = 0;
  double last = 0;                 // when the last stage ends; the step where all begin together
  std::vector<StageTimes> stages;  // by actor: replica · p + stage
  std::vector<double> pass_begin;  // by replica and node; empty where not asked for
  std::vector<double> pass_end;
  std::vector<double> arrival;  // by replica and result: when it is where it is needed
};

// When the states of a checkpoint are in host memory; the step's begin where there is none.
double copied_at(const StepPlan& plan, std::size_t stage);

// When the weights are there.
double start_of(const StepPlan& plan, std::size_t stage, double link = 1);

// When nothing but the copy of a checkpoint keeps a stage from its update.
double ready_to_update(const StepPlan& plan, const StepClock& times, std::size_t stage);

// All after the reductions of every stage, `reduced` being filled in.
void finish_step(const StepPlan& plan, const Speeds& speeds, StepClock& times);

// What overlapping saves a stage in a step.
Seconds hidden_in_pairs(const StepPlan& plan, const PassGraph& graph, std::size_t stage);

}  // namespace orrery
