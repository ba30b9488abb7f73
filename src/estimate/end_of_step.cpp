// SPDX-License-Identifier: Apache-2.0
#include "estimate/end_of_step.h"

#include <algorithm>

#include "estimate/classes.h"
#include "estimate/offload.h"
#include "estimate/pipeline_time.h"
#include "estimate/run.h"
#include "estimate/stage_contents.h"

namespace orrery {

template <Number R>
OverlapWindows<R> windows_of(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage) {
  OverlapWindows<R> windows;
  for_each_chunk(run, stage, [&](std::int64_t part) {
    const StageCosts<R>& costs = class_of<R>(w, part).costs;
    windows.forward += costs.forward_time;
    windows.backward += costs.backward_time;
  });
  return windows;
}

namespace {

template <Number R>
Seconds end_of_step(const Run& run, WorkspaceOf<R>& w, std::int64_t stage) {
  const StageParameters parameters = parameters_of_stage<R>(run, w, stage);
  const OverlapWindows<R> windows = windows_of<R>(run, w, stage);
  const OptimizerTime<double> optimizer = optimizer_time<double>(run, parameters);
  return optimizer.device + optimizer.host +
         exposed(run, w.end_traffics.of(run, parameters),
                 {plain(windows.forward), plain(windows.backward)});
}

}  // namespace

// Stages between two distinct ones are like the first of these.
template <Number R>
LastStage last_stage_done(const Run& run, WorkspaceOf<R>& w, std::span<const Seconds> done) {
  LastStage last;
  Seconds time{};
  auto next = w.distinct.begin();
  for (std::int64_t i = 0; i < run.strategy.pp; ++i) {
    if (next != w.distinct.end() && i == *next) {
      time = end_of_step<R>(run, w, i);
      ++next;
    }
    const Seconds since = done.empty() ? Seconds() : done[static_cast<std::size_t>(i)];
    if (i == 0 || since + time > last.done + last.time) last = {i, since, time};
  }
  return last;
}

// The first stage of a schedule of fixed order is done last with its micro batches.
Seconds least_end_of_step(const Run& run, Workspace& w, Seconds pipeline) {
  if (run.strategy.pp == 1 || takes_a_period(run)) {
    return pipeline + last_stage_done<double>(run, w, {}).time;
  }
  Seconds least = pipeline;
  for (const std::int64_t i : w.distinct) {
    const bool last_done = i == 0 && !schedule_of(run).entry().written_out;
    least = std::max(least, (last_done ? pipeline : least_until_done(run, w, i)) +
                                end_of_step<double>(run, w, i));
  }
  return least;
}

template OverlapWindows<double> windows_of(const Run&, const WorkspaceOf<double>&, std::int64_t);
template LastStage last_stage_done(const Run&, WorkspaceOf<double>&, std::span<const Seconds>);
template OverlapWindows<Traced> windows_of(const Run&, const WorkspaceOf<Traced>&, std::int64_t);
template LastStage last_stage_done(const Run&, WorkspaceOf<Traced>&, std::span<const Seconds>);

}  // namespace orrery
