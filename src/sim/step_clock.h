// SPDX-License-Identifier: Apache-2.0
//
// The times of a step, and the costs that sweep and events share.
//
// The end of a step, on every stage: the exposed reduction of its gradients after its last pass,
// then the sum with a stage that holds the same parameters, if there is one. Then all wait for the
// norm of all gradients, update, and gather weights, unless the framework gathers under the next
// forward; that gather is at the beginning here. Without a common norm (zero bubble) the step is
// the longest time from a stage's begin to its end. The step is one of many equal steps.
// Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph.h"
#include "sim/plan.h"

namespace orrery {

// Effects of concurrency, each of which can be switched on or off to see its share.
struct Effects {
  bool contention = true;  // flows share links
  // Kernels are slower beside a reduction or gather. The devices' constant is fitted on stacks that
  // gather all the time; their passes include it already. For other stacks it is inside the
  // efficiencies fitted on their runs, so here it would count twice.
  bool slowdown = false;
  bool sends_overlap = true;  // a stage goes on while its result is sent
};

// Time of one kind of pass, and of its kernels.
struct PassTime {
  Seconds all{};
  Seconds kernels{};
};

PassTime pass_time(const StepPlan& plan, const PassSlot& slot);

struct CostTable {
  std::vector<Seconds> pass;     // by slot
  std::vector<Seconds> compute;  // its kernels
  std::vector<Seconds> send;     // by slot · 2 for its forward result, + 1 for its gradient
};

CostTable cost_table(const StepPlan& plan, const PassGraph& graph, const Effects& effects);

// Traffic of a stage that runs beside the passes of one micro batch through one of its cells.
Seconds beside_forward(const StepPlan& plan, std::size_t cell);
Seconds beside_backward(const StepPlan& plan, std::size_t cell);

struct StageTimes {
  Seconds copied{};    // a checkpoint's states are in host memory
  Seconds gathered{};  // weights have arrived, passes may begin
  Seconds finished{};  // the last pass has ended
  Seconds reduced{};
  Seconds joined{};  // the shared embedding's gradient is added, if the stage has one
  Seconds updated{};
  Seconds end{};
  Seconds device_update{};  // the parts of the update
  Seconds host_update{};
};

// Speeds of actors; empty: all equal. An actor is a stage of a replica: replica · p + stage.
struct Speeds {
  std::int64_t replicas = 1;
  std::int64_t first_replica = 0;  // its number, for random numbers
  std::vector<double> compute;     // by actor, factor on the time of kernels
  double jitter = 0;  // kernels of one pass on one rank take up to this share longer, uniform
  std::int64_t ranks_of_actor = 1;
  std::uint64_t seed = 0;
};

inline double kernel_factor(const Speeds& s, std::size_t actor) {
  return s.compute.empty() ? 1 : s.compute[actor];
}

struct StepClock {
  Seconds step{};
  Seconds last{};                   // end of the last stage; the step if all begin together
  std::vector<StageTimes> stages;   // by actor: replica · p + stage
  std::vector<Seconds> pass_begin;  // by replica and node; empty if not asked for
  std::vector<Seconds> pass_end;
  std::vector<Seconds> arrival;  // by replica and result, at the stage that needs it
};

// When the states of a checkpoint are in host memory; without one, the step's begin.
Seconds copied_at(const StepPlan& plan, std::size_t stage);

// When the weights have arrived.
Seconds start_of(const StepPlan& plan, std::size_t stage);

// When a stage could update if it did not wait for a checkpoint's copy.
Seconds ready_to_update(const StepPlan& plan, const StepClock& times, std::size_t stage);

// Traffic that a stage waits for before its first pass and after its last one, with slow parts and
// peers.
struct ExposedTraffic {
  Seconds gradients{};  // their reduction, with waits for slower replicas
  Seconds weights{};    // their gather
};
ExposedTraffic exposed_traffic(const StepPlan& plan, const StepClock& times, std::size_t stage);

// Computes all times after the reductions; `reduced` of every stage is filled in.
void finish_step(const StepPlan& plan, const Speeds& speeds, StepClock& times);

// Needs a replica whose passes are kept.
Seconds time_in_passes(const PassGraph& graph, const StepClock& times, std::size_t stage);

// Gain of a stage from overlapping, in a step.
Seconds hidden_in_pairs(const StepPlan& plan, const PassGraph& graph, std::size_t stage);

}  // namespace orrery
