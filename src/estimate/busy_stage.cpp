// SPDX-License-Identifier: Apache-2.0
#include "estimate/busy_stage.h"

#include "estimate/classes.h"
#include "estimate/run.h"

namespace orrery {

bool has_pairs(const Run& run) { return run.strategy.pp > 1 && schedule_of(run).entry().pairs; }

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

template <Number R>
std::int64_t busiest_stage(const Run& run, WorkspaceOf<R>& w, std::int64_t micro_batches) {
  std::int64_t busiest = 0;
  Seconds most(-1);
  for (std::int64_t i = 0; i < run.strategy.pp; ++i) {
    const Seconds busy = plain(busy_time<R>(run, w, i, micro_batches));
    if (busy > most) {
      most = busy;
      busiest = i;
    }
  }
  return busiest;
}

template SecondsOf<double> hidden_by_pairs(const Run&, WorkspaceOf<double>&, std::int64_t);
template SecondsOf<double> busy_time(const Run&, WorkspaceOf<double>&, std::int64_t, std::int64_t);
template std::int64_t busiest_stage(const Run&, WorkspaceOf<double>&, std::int64_t);
template SecondsOf<Traced> hidden_by_pairs(const Run&, WorkspaceOf<Traced>&, std::int64_t);
template SecondsOf<Traced> busy_time(const Run&, WorkspaceOf<Traced>&, std::int64_t, std::int64_t);
template std::int64_t busiest_stage(const Run&, WorkspaceOf<Traced>&, std::int64_t);

}  // namespace orrery
