// SPDX-License-Identifier: Apache-2.0
//
// What one training step consists of, as the simulator plays it: the passes of every virtual stage,
// the messages between them, and what each stage does once a step.
//
// All durations are estimate's own (stage.h, sends.h, data_parallel.h, offload.h): there is no
// second model of cost. What tensor, context and expert parallelism leave exposed is inside a
// pass. A reduction or gather that the framework hides under passes runs at an even rate beside
// those of one micro batch, as far as the profile says it can hide; the rest follows (reduction) or
// goes before (gather). Leaves out: the order of kernels inside a pass. Units: SI.
#pragma once

#include <cstdint>
#include <vector>

#include "estimate/estimate.h"
#include "orrery/quantity.h"
#include "parallel/schedules/table.h"
#include "sim/save.h"

namespace orrery {

// One micro batch through one cell: a chunk of a stage.
struct PassPlan {
  Seconds forward{};
  Seconds backward{};
  Terms<double> forward_terms{};  // what they are the sums of
  Terms<double> backward_terms{};
  Seconds weight{};          // of `backward`, the gradients of weights: kernels
  Seconds hidden{};          // of a pair whose forward this is: what overlapping saves
  Seconds forward_copies{};  // to and from the host, beside the pass
  Seconds backward_copies{};
};

// Of a pass, kernels: what a slow GPU makes longer, recomputation included.
inline Seconds kernels(const Terms<double>& t) {
  return t[static_cast<std::size_t>(Term::compute)] + t[static_cast<std::size_t>(Term::recompute)];
}

// A collective once a step, beside passes and bare.
struct StepTraffic {
  Seconds hidden{};
  Seconds exposed{};
};

struct StagePlan {
  StepTraffic gradients;
  StepTraffic weights;
  Seconds device_update{};
  Seconds host_update{};
  std::uint8_t tier = 0;                // of the reduction
  std::vector<CommLine<double>> lines;  // what both traffics are made of
};

// Of a cell's results to the stages that need them; 0 where that is the same stage, or none.
struct SendPlan {
  Seconds forward{};
  Seconds backward{};
  std::uint8_t forward_tier = 0;
  std::uint8_t backward_tier = 0;
};

// Two stages that hold the same parameters, an embedding or a copy of the model, add up their
// gradients once a step.
struct Meeting {
  std::size_t first = 0;
  std::size_t second = 0;
  Seconds time{};
};

struct StepPlan {
  ScheduleRef schedule = ScheduleId::one_f_one_b;
  PipelineShape shape;
  std::vector<PassPlan> passes;   // by cell, chunk · p + stage
  std::vector<SendPlan> sends;    // by cell
  std::vector<StagePlan> stages;  // by stage
  std::vector<Meeting> meetings;  // a stage is in one at most
  // Stages go on to the next step without waiting for all others (zero bubble, whose optimizer step
  // is validated after the fact); each begins at its own time then (settle.h). By stage.
  bool goes_on = false;
  std::vector<double> begins;
  Seconds overhead{};
  Save save;                   // a checkpoint
  bool gathers_first = false;  // weights under the first forward; else after the update
  double gradient_use = 1;     // part of a fabric link that data parallelism takes when alone
  double slowdown = 0;         // share lost of the time in which compute and a collective both run
  double copy_slowdown = 0;    // and compute and a copy to or from the host
};

// The part of the model a cell is.
std::int64_t part_of_cell(const StepPlan& plan, std::int64_t cell);

// Micro batches a cell works on.
double micro_batches_through(const StepPlan& plan, std::size_t cell);

// Fills the workspace's classes on the way. The run is legal, its schedule built.
StepPlan plan_step(const Run& run, Workspace& workspace);

}  // namespace orrery
