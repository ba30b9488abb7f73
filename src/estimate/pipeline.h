// SPDX-License-Identifier: Apache-2.0
//
// When every stage of a pipeline is done: one sweep over the graph of a schedule of fixed order.
//
// A step starts when its stage is free and what it needs has arrived: forward of part j of the
// model from j − 1, backward (or the gradient of its input) from j + 1. A send delays only who
// waits for it; time a send takes from its sender belongs into the sender's step. Leaves out
// contention between sends, and whatever comes before the first or after the last step of a stage
// (gradient reduction, optimizer). Units: seconds. Errors: none; the schedule must be built and the
// spans be of the length stated. A bound: see pipeline_lower_bound.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/sweep_graph.h"
#include "orrery/quantity.h"
#include "parallel/schedules/schedule.h"

namespace orrery {

// By part of the model (schedule.h): p·v entries, p where there are two copies; boundary j is
// between parts j and j + 1: one entry less. The last two are for schedules that are written out.
struct PipelineCosts {
  std::span<const Seconds> forward;
  std::span<const Seconds> backward;
  std::span<const Seconds> send_forward;          // from j to j + 1
  std::span<const Seconds> send_backward;         // from j + 1 to j
  std::span<const Seconds> weight_gradient = {};  // of `backward`, what nobody waits for
  std::span<const Seconds> pair = {};  // forward of part j beside the backward of the other part of
                                       // its stage
};

// Scratch memory of the sweep; its content means nothing to others. It grows when it must and is
// kept: give each thread its own.
struct PipelineWorkspace {
  // One virtual stage, in seconds; a delay is that of the send which follows the step.
  struct StageCost {
    double forward;
    double forward_delay;
    double backward;
    double backward_delay;
  };

  // One kind of step of one part (sweep_graph.h).
  struct StepCost {
    double time;
    double delay;
  };

  // A time with the sends, and the same with free ones: one instruction advances both.
  struct Both {
    using Lanes = double __attribute__((vector_size(2 * sizeof(double))));

    Lanes at{0, 0};

    Seconds sent() const { return Seconds(at[0]); }
    Seconds free() const { return Seconds(at[1]); }
  };

  std::vector<StageCost> costs;
  std::vector<StepCost> step_costs;
  std::vector<Seconds> arrivals;
  std::vector<Both> both_arrivals;
  std::vector<Both> both_finish;
  std::vector<Seconds> finish;
  std::vector<Seconds> busy;
  std::vector<Seconds> before;
  std::vector<Seconds> begins;
  SweepGraphs graphs;
};

// `finish` and `busy` lie in the workspace, until its next use; one entry a stage. A stage waits
// makespan − busy in all, of which finish − busy before its last step ends.
struct PipelineTimes {
  Seconds makespan{};
  std::span<const Seconds> finish;
  std::span<const Seconds> busy;
};

PipelineTimes sweep(const ScheduleRef& schedule, const PipelineShape& shape,
                    const PipelineCosts& costs, PipelineWorkspace& workspace);

// When every stage is done with its micro batches, and the same with free sends: steps of the two
// do not wait for each other, so that both take little longer than one. They lie in the workspace.
std::span<const PipelineWorkspace::Both> sweep_both(const ScheduleRef& schedule,
                                                    const PipelineShape& shape,
                                                    const PipelineCosts& costs,
                                                    PipelineWorkspace& workspace);

// The time of a step in the long run (steady.h), for a schedule that is written out whose stages go
// on to the next step without waiting for all others. `ends_synchronise`: first and last stage do
// wait for each other, to add up the gradient of an embedding that both hold.
Seconds steady_period(const ScheduleRef& schedule, const PipelineShape& shape,
                      const PipelineCosts& costs, bool ends_synchronise,
                      PipelineWorkspace& workspace);

// One longest chain of steps and sends: how often each lies on it, in the layout of PipelineCosts.
// time = Σ counts × costs, but for the rounding of sums taken in another order. For a period, the
// chain to the end of the step before is subtracted: counts may be negative.
struct CriticalPath {
  Seconds time{};
  std::vector<std::int64_t> forward;
  std::vector<std::int64_t> backward;
  std::vector<std::int64_t> input_gradient;
  std::vector<std::int64_t> weight_gradient;
  std::vector<std::int64_t> pair;
  std::vector<std::int64_t> send_forward;
  std::vector<std::int64_t> send_backward;
};

// The stage that is done last, where a stage is asked for.
inline constexpr std::int64_t kLastOfAll = -1;

// To the end of the last step of stage `until`. For `explain`: allocates, and takes several times
// as long as the sweep.
CriticalPath critical_path(const ScheduleRef& schedule, const PipelineShape& shape,
                           const PipelineCosts& costs, std::int64_t until = kLastOfAll);
CriticalPath path_of_period(const ScheduleRef& schedule, const PipelineShape& shape,
                            const PipelineCosts& costs, bool ends_synchronise);

// No order of any schedule here beats this: a stage computes all its steps, after the first micro
// batch has come down to it and before the last gradient has gone up from it:
// max over i of m(fᵢ + bᵢ) + Σ over j < i of what lies before it on chunk 0. Costs O(p·v).
Seconds pipeline_lower_bound(const PipelineShape& shape, const PipelineCosts& costs);

}  // namespace orrery
