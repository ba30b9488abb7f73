// SPDX-License-Identifier: Apache-2.0
//
// One training step as the simulator runs it: the passes of every virtual stage, the messages
// between them, and the work of each stage once a step.
//
// All durations come from estimate (stage.h, sends.h, data_parallel.h, offload.h): there is no
// second model of cost. A pass includes the exposed time of tensor, context and expert
// parallelism. A reduction or gather that the framework hides runs at an even rate beside the
// passes of one micro batch, up to the share that the profile can hide; the rest follows
// (reduction) or precedes them (gather). Leaves out: the order of kernels inside a pass. Units: SI.
// Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "estimate/answer.h"
#include "estimate/forward.h"
#include "orrery/quantity.h"
#include "parallel/schedules/table.h"
#include "sim/save.h"

namespace orrery {

// One micro batch through one cell: a chunk of a stage.
struct PassPlan {
  Seconds forward{};
  Seconds backward{};
  Terms<double> forward_terms{};  // the terms that sum to them
  Terms<double> backward_terms{};
  Seconds weight{};          // part of `backward`: kernels of the weight gradients
  Seconds hidden{};          // gain of overlapping in a pair whose forward this is
  Seconds forward_copies{};  // to and from the host, beside the pass
  Seconds backward_copies{};
};

// Kernels of a pass, recomputation included; a slow GPU makes these longer.
inline Seconds kernels(const Terms<double>& t) { return t[Term::compute] + t[Term::recompute]; }

// A collective once a step: the part hidden beside passes, and the exposed part.
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
  std::vector<CommLine<double>> lines;  // the messages of both parts
};

// Sends of a cell's results to the stages that need them; 0 if that is the same stage, or none.
struct SendPlan {
  Seconds forward{};
  Seconds backward{};
  std::uint8_t forward_tier = 0;
  std::uint8_t backward_tier = 0;
};

// The rendezvous of two stages that hold the same parameters, an embedding or a copy of the model:
// they add up their gradients once a step.
struct Rendezvous {
  std::size_t first = 0;
  std::size_t second = 0;
  Seconds time{};
  Bytes message{};  // the whole buffer
  CommLine<double> line;
};

struct StepPlan {
  ScheduleRef schedule = ScheduleId::one_f_one_b;
  PipelineShape shape;
  std::vector<PassPlan> passes;        // by cell, chunk · p + stage
  std::vector<SendPlan> sends;         // by cell
  std::vector<StagePlan> stages;       // by stage
  std::vector<Rendezvous> rendezvous;  // a stage is in one at most
  // With zero bubble, whose optimizer step is validated after the fact, stages go on to the next
  // step without waiting for all others; each then begins at its own time (settle.h). By stage.
  bool goes_on = false;
  std::vector<Seconds> begins;
  Seconds overhead{};
  Save save;                   // a checkpoint
  bool gathers_first = false;  // weights under the first forward; else after the update
  double gradient_use = 1;     // part of a fabric link that data parallelism uses when alone
  double slowdown = 0;         // share lost while compute and a collective both run
  double copy_slowdown = 0;    // share lost while compute and a host copy both run
};

// The virtual stage of a cell.
std::int64_t part_of_cell(const StepPlan& plan, std::int64_t cell);

// Micro batches of a cell.
double micro_batches_through(const StepPlan& plan, std::size_t cell);

// The stages that need a cell's results; its own where nothing is sent.
struct SendEnds {
  std::int64_t forward = 0;
  std::int64_t backward = 0;
};
SendEnds send_ends(const StepPlan& plan, std::int64_t cell);

// Also fills the workspace's classes. The run is legal, its schedule built.
StepPlan plan_step(const Run& run, Workspace& workspace);

// The same of a workspace whose classes are filled.
StepPlan plan_filled(const Run& run, const Workspace& workspace);

// The work of stage i once a step, beside the passes of the plan.
StagePlan plan_stage(const Run& run, const Workspace& w, const StepPlan& plan, std::int64_t i);

}  // namespace orrery
