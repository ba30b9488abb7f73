// SPDX-License-Identifier: Apache-2.0
//
// Memory of every stage over the step: taken with each forward pass, given back with each backward.
//
// A micro batch's tensors are there from the beginning of its forward pass to the end of its
// backward pass, or of its input gradient where that is a pass of its own: then what the weight
// gradients need stays till these are done. What recomputation brings back and the gradients of
// activations are there while a backward pass runs. All else (states, buffers, contexts) stays as
// memory/stage_memory.h has it. Where the peak is not that of `memory`, the two reasons are told
// apart: fewer tensors are held than at the schedule's fullest, or the pass at the peak works on
// less than the largest of the stage. Leaves out: how a pass fills and empties memory while it
// runs; the allocator. Units: bytes of one rank.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/step_clock.h"

namespace orrery {

struct MemoryPoint {
  double time = 0;
  double bytes = 0;
};

struct MemoryCurve {
  StageMemory<double> peak;  // the lines at the peak
  Seconds peak_at{};
  std::int32_t peak_node = -1;
  std::int64_t most_in_flight = 0;  // micro batches, of all chunks
  Bytes closed_peak{};              // what `memory` says
  Bytes less_held{};                // of the difference: tensors of micro batches in flight
  Bytes less_at_work{};             // and what the pass at the peak works on
  std::vector<MemoryPoint> points;  // a level from each point to the next
};

std::vector<MemoryCurve> memory_curves(const Run& run, Workspace& w, const StepPlan& plan,
                                       const PassGraph& graph, const StepClock& times);

}  // namespace orrery
