// SPDX-License-Identifier: Apache-2.0
//
// When every stage of a pipeline is done: one sweep over the graph of a schedule of fixed order.
//
// A step starts when its stage is free and what it needs has arrived: forward of virtual stage j
// from j − 1, backward from j + 1. A send delays only who waits for it; time a send takes from its
// sender belongs into the sender's step. Leaves out contention between sends, and whatever comes
// before the first or after the last step of a stage (gradient reduction, optimizer). Units:
// seconds. Errors: none; the schedule must be built and the spans be of the length stated.
// Bounds: see pipeline_lower_bound and pipeline_upper_bound.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/quantity.h"
#include "parallel/schedules/schedule.h"
#include "parallel/strategy.h"

namespace orrery {

// By virtual stage, chunk·p + stage: p·v entries; boundary j is between virtual stages j and j + 1:
// p·v − 1 entries.
struct PipelineCosts {
  std::span<const Seconds> forward;
  std::span<const Seconds> backward;
  std::span<const Seconds> send_forward;   // from j to j + 1
  std::span<const Seconds> send_backward;  // from j + 1 to j
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

  std::vector<StageCost> costs;
  std::vector<double> arrivals;
  std::vector<Seconds> finish;
  std::vector<Seconds> busy;
};

// `finish` and `busy` lie in the workspace, until its next use; one entry a stage. A stage waits
// makespan − busy in all, of which finish − busy before its last step ends.
struct PipelineTimes {
  Seconds makespan{};
  std::span<const Seconds> finish;
  std::span<const Seconds> busy;
};

PipelineTimes sweep(ScheduleId schedule, const PipelineShape& shape, const PipelineCosts& costs,
                    PipelineWorkspace& workspace);

// One longest chain of steps and sends: how often each lies on it, in the layout of PipelineCosts.
// makespan = Σ counts × costs, but for the rounding of sums taken in another order.
struct CriticalPath {
  Seconds makespan{};
  std::vector<std::int64_t> forward;
  std::vector<std::int64_t> backward;
  std::vector<std::int64_t> send_forward;
  std::vector<std::int64_t> send_backward;
};

// For `explain`: allocates, and takes several times as long as the sweep.
CriticalPath critical_path(ScheduleId schedule, const PipelineShape& shape,
                           const PipelineCosts& costs);

// No order of any schedule here beats this: a stage computes all its steps, after the first micro
// batch has come down to it and before the last gradient has gone up from it:
// max over i of m(fᵢ + bᵢ) + Σ over j < i of what lies before it on chunk 0. Costs O(p·v).
Seconds pipeline_lower_bound(const PipelineShape& shape, const PipelineCosts& costs);

// 1F1B with one chunk and free sends takes at most Σ(fᵢ + bᵢ) + (m − 1)·max(fᵢ + bᵢ).
Seconds pipeline_upper_bound(const PipelineShape& shape, const PipelineCosts& costs);

}  // namespace orrery
