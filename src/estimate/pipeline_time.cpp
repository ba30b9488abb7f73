// SPDX-License-Identifier: Apache-2.0
#include "estimate/pipeline_time.h"

#include <algorithm>

#include "estimate/run.h"
#include "estimate/sends.h"
#include "estimate/workspace.h"

namespace orrery {
namespace {

template <Number R>
std::vector<Seconds> plain_times(const std::vector<SecondsOf<R>>& times) {
  std::vector<Seconds> out;
  for (const SecondsOf<R>& t : times) out.push_back(plain(t));
  return out;
}

SecondsOf<Traced> along(const std::vector<std::int64_t>& counts,
                        const std::vector<SecondsOf<Traced>>& times, const char* name) {
  SecondsOf<Traced> sum{};
  for (std::size_t j = 0; j < counts.size(); ++j) {
    if (counts[j] == 0) continue;
    const Label label{name, "", static_cast<int>(j)};
    const Traced n = count<Traced>(counts[j], {"times on the critical path"});
    sum += n * named(times[j], label);
  }
  return sum;
}

const std::array<Seconds, kMaxStages> kFree{};

// Zero bubble, its optimizer step validated after the fact: stages begin the next step when they
// are done with this one.
bool takes_a_period(const Run& run) { return run.strategy.post_validation; }

PipelineTime<double> sweep_of(const Run& run, Workspace& w) {
  const ScheduleRef schedule = schedule_of(run);
  PipelineCosts costs{w.forward, w.backward, w.send_forward, w.send_backward};
  if (schedule.entry().written_out) {
    costs.weight_gradient = w.weight_gradient;
    costs.pair = w.pair;
  }
  const PipelineShape shape = pipeline_shape(run);
  if (!takes_a_period(run)) {
    const Makespans both = sweep_both(schedule, shape, costs, w.pipeline);
    return {both.sent, both.free};
  }
  PipelineTime<double> t;
  t.all = steady_period(schedule, shape, costs, shares_embedding(run), w.pipeline);
  costs.send_forward = costs.send_backward = {kFree.data(), w.send_forward.size()};
  t.free = steady_period(schedule, shape, costs, shares_embedding(run), w.pipeline);
  return t;
}

SecondsOf<Traced> recorded(const Run& run, WorkspaceOf<Traced>& w, bool with_sends) {
  const std::vector<Seconds> forward = plain_times(w.forward);
  const std::vector<Seconds> backward = plain_times(w.backward);
  const std::vector<Seconds> weight = plain_times(w.weight_gradient);
  const std::vector<Seconds> pair = plain_times(w.pair);
  std::vector<Seconds> down = plain_times(w.send_forward);
  std::vector<Seconds> up = plain_times(w.send_backward);
  if (!with_sends) {
    down.assign(down.size(), Seconds());
    up.assign(up.size(), Seconds());
  }
  const PipelineCosts costs{forward, backward, down, up, weight, pair};
  const PipelineShape shape = pipeline_shape(run);
  const CriticalPath path =
      takes_a_period(run) ? path_of_period(schedule_of(run), shape, costs, shares_embedding(run))
                          : critical_path(schedule_of(run), shape, costs);
  SecondsOf<Traced> sum = along(path.forward, w.forward, "forward of a virtual stage") +
                          along(path.backward, w.backward, "backward of a virtual stage");
  if (schedule_of(run).entry().written_out) {
    sum = sum + along(path.input_gradient, w.input_gradient, "input gradient of a virtual stage") +
          along(path.weight_gradient, w.weight_gradient, "weight gradient of a virtual stage") +
          along(path.pair, w.pair, "forward and backward of two micro batches, overlapped");
  }
  if (!with_sends) return sum;
  return sum + along(path.send_forward, w.send_forward, "send to the next virtual stage") +
         along(path.send_backward, w.send_backward, "send back to the previous virtual stage");
}

// The busiest stage, if every forward runs in a pair and hides all that it can.
Seconds busiest_stage(const Run& run, const Workspace& w) {
  const ScheduleRef schedule = schedule_of(run);
  const bool pairs = schedule.entry().pairs;
  const std::int64_t m = run.strategy.micro_batches / copies_of_model(schedule.layout());
  Seconds most{};
  for (std::int64_t i = 0; i < run.strategy.pp; ++i) {
    Seconds busy{};
    for_each_chunk(run, i, [&](std::int64_t part) {
      const auto j = static_cast<std::size_t>(part);
      busy += w.forward[j] + w.backward[j] - (pairs ? w.hidden[j] : Seconds());
    });
    most = std::max(most, busy);
  }
  return most * static_cast<double>(m);
}

}  // namespace

template <>
PipelineTime<double> pipeline_time(const Run& run, Workspace& w) {
  auto& [free, all] = w.swept;
  if (!free || !all) {
    const PipelineTime<double> t = sweep_of(run, w);
    free = t.free;
    all = t.all;
  }
  return {*all, *free};
}

template <>
PipelineTime<Traced> pipeline_time(const Run& run, WorkspaceOf<Traced>& w) {
  return {recorded(run, w, true), recorded(run, w, false)};
}

template <>
Seconds pipeline_bound(const Run& run, const Workspace& w) {
  if (schedule_of(run).entry().written_out) return busiest_stage(run, w);
  const std::span<const Seconds> free(kFree.data(), w.forward.size() - 1);
  return pipeline_lower_bound(pipeline_shape(run), {w.forward, w.backward, free, free});
}

template <>
Seconds pipeline_bound(const Run& /*run*/, const WorkspaceOf<Traced>& /*w*/) {
  return {};
}

}  // namespace orrery
