// SPDX-License-Identifier: Apache-2.0
#include "estimate/end_of_step.h"

#include "estimate/classes.h"
#include "estimate/offload.h"
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
  const ParametersHeld parameters = parameters_of_stage<R>(run, w, stage);
  const OverlapWindows<R> windows = windows_of<R>(run, w, stage);
  const OptimizerTime<double> optimizer = optimizer_time<double>(run, parameters);
  return optimizer.device + optimizer.host +
         exposed(run, w.end_traffics.of(run, parameters),
                 {plain(windows.forward), plain(windows.backward)});
}

}  // namespace

template <Number R>
LastStage last_stage_done(const Run& run, WorkspaceOf<R>& w) {
  LastStage last;
  for (const std::int64_t i : w.distinct) {
    const Seconds time = end_of_step<R>(run, w, i);
    if (i == 0 || time > last.time) last = {i, time};
  }
  return last;
}

template OverlapWindows<double> windows_of(const Run&, const WorkspaceOf<double>&, std::int64_t);
template LastStage last_stage_done(const Run&, WorkspaceOf<double>&);
template OverlapWindows<Traced> windows_of(const Run&, const WorkspaceOf<Traced>&, std::int64_t);
template LastStage last_stage_done(const Run&, WorkspaceOf<Traced>&);

}  // namespace orrery
