// SPDX-License-Identifier: Apache-2.0
//
// Memory of every stage over the step: taken with each forward pass, given back with each backward.
//
// A micro batch's tensors live from the beginning of its forward pass to the end of its backward
// pass. If the input gradient is a pass of its own they live to its end, and the inputs of the
// weight gradients live on to the end of those. Recomputed tensors and gradients of activations
// live while a backward pass runs. The rest (states, buffers, contexts) is that of
// memory/stage_memory.h. If the peak differs from that of `memory`, there are two reasons, told
// apart: fewer saved tensors than at the schedule's fullest moment, or a smaller pass than the
// stage's largest. Leaves out: memory during a pass; the allocator. Units: bytes of one rank.
// Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/memory_lines.h"
#include "sim/step_clock.h"

namespace orrery {

struct MemoryPoint {
  Seconds time{};
  Bytes bytes{};
  std::int32_t node = -1;  // the pass that begins or ends there; −1: before the first
};

struct MemoryCurve {
  StageMemory<double> peak;  // the lines at the peak
  Seconds peak_at{};
  std::int32_t peak_node = -1;
  std::int64_t most_in_flight = 0;  // micro batches, of all chunks
  Bytes closed_peak{};              // peak of the closed form
  Bytes less_held{};     // part of the difference from tensors of micro batches in flight
  Bytes less_at_work{};  // and from the pass at the peak
  std::vector<MemoryPoint> points;  // the level is constant from each point to the next
};

std::vector<MemoryCurve> memory_curves(const Run& run, Workspace& w, const StepPlan& plan,
                                       const PassGraph& graph, const StepClock& times);

}  // namespace orrery
