// SPDX-License-Identifier: Apache-2.0
//
// How long a pipeline stage computes in a step: its chunks' passes over all micro batches, less
// what overlapped pairs of passes hide of each other.
//
// Leaves out: waiting, sends, the end of the step. Needs the classes of a workspace (classes.h) and
// what pairs hide (WorkspaceOf::hidden). Units: SI; a step. Errors: none.
#pragma once

#include <cstdint>

#include "estimate/classes.h"
#include "estimate/estimate.h"

namespace orrery {

inline bool has_pairs(const Run& run) {
  return run.strategy.pp > 1 && schedule_of(run).entry().pairs;
}

// What the pairs of a stage save over their two halves alone.
template <Number R>
SecondsOf<R> hidden_by_pairs(const Run& run, WorkspaceOf<R>& w, std::int64_t stage) {
  const SweepGraph& graph = w.pipeline.graphs.of(schedule_of(run), pipeline_shape(run));
  SecondsOf<R> sum{};
  std::int64_t chunk = 0;
  for_each_chunk(run, stage, [&](std::int64_t part) {
    const std::int64_t n = graph.pairs_of(stage, chunk++);
    if (n == 0 || w.hidden.empty()) return;
    sum +=
        count<R>(n, {"overlapped pairs of the chunk"}) * w.hidden[static_cast<std::size_t>(part)];
  });
  return sum;
}

// Of the `n` micro batches that pass through a chunk.
template <Number R>
R micro_batches_of_step(std::int64_t n) {
  return count<R>(n, {"micro batches of a step"});
}

template <Number R>
SecondsOf<R> busy_time(const Run& run, WorkspaceOf<R>& w, std::int64_t stage,
                       std::int64_t micro_batches) {
  SecondsOf<R> sum{};
  for_each_chunk(run, stage, [&](std::int64_t part) {
    const StageCosts<R>& costs = class_of<R>(w, part).costs;
    sum += costs.forward_time + costs.backward_time;
  });
  sum = sum * micro_batches_of_step<R>(micro_batches);
  return has_pairs(run) ? sum - hidden_by_pairs<R>(run, w, stage) : sum;
}

}  // namespace orrery
