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

// `costs` without sends.
PipelineCosts with_free_sends(PipelineCosts costs) {
  costs.send_forward = costs.send_backward = {kFree.data(), costs.send_forward.size()};
  return costs;
}

SweptTimes swept_with(const Run& run, const PipelineCosts& costs, PipelineWorkspace& w) {
  const ScheduleRef schedule = schedule_of(run);
  const PipelineShape shape = pipeline_shape(run);
  if (takes_a_period(run)) {
    const bool meet = shares_embedding(run);
    return {{steady_period(schedule, shape, costs, meet, w)},
            {steady_period(schedule, shape, with_free_sends(costs), meet, w)}};
  }
  SweptTimes times;
  for (const PipelineWorkspace::Both& t : sweep_both(schedule, shape, costs, w)) {
    times.sent.push_back(t.sent());
    times.free.push_back(t.free());
  }
  return times;
}

// The times of a recording workspace, as plain ones.
struct PlainTimes {
  std::vector<Seconds> forward;
  std::vector<Seconds> backward;
  std::vector<Seconds> down;
  std::vector<Seconds> up;
  std::vector<Seconds> weight;
  std::vector<Seconds> pair;

  explicit PlainTimes(const WorkspaceOf<Traced>& w)
      : forward(plain_times(w.forward)),
        backward(plain_times(w.backward)),
        down(plain_times(w.send_forward)),
        up(plain_times(w.send_backward)),
        weight(plain_times(w.weight_gradient)),
        pair(plain_times(w.pair)) {}

  PipelineCosts costs() const { return {forward, backward, down, up, weight, pair}; }
};

void fill_swept(const Run& run, Workspace& w) {
  if (!w.swept.sent.empty()) return;
  PipelineCosts costs{w.forward, w.backward, w.send_forward, w.send_backward};
  if (schedule_of(run).entry().written_out) {
    costs.weight_gradient = w.weight_gradient;
    costs.pair = w.pair;
  }
  w.swept = swept_with(run, costs, w.pipeline);
}

void fill_swept(const Run& run, WorkspaceOf<Traced>& w) {
  if (w.swept.sent.empty()) w.swept = swept_with(run, PlainTimes(w).costs(), w.pipeline);
}

Seconds at_stage(const std::vector<Seconds>& times, std::int64_t until) {
  if (until == kLastOfAll || times.size() == 1) {
    return *std::max_element(times.begin(), times.end());
  }
  return times[static_cast<std::size_t>(until)];
}

SecondsOf<Traced> recorded(const Run& run, WorkspaceOf<Traced>& w, std::int64_t until,
                           bool with_sends) {
  const PlainTimes times(w);
  const PipelineCosts costs = with_sends ? times.costs() : with_free_sends(times.costs());
  const PipelineShape shape = pipeline_shape(run);
  const CriticalPath path =
      takes_a_period(run) ? path_of_period(schedule_of(run), shape, costs, shares_embedding(run))
                          : critical_path(schedule_of(run), shape, costs, until);
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

// The passes of a stage, if every forward runs in a pair and hides all that it can.
Seconds least_busy(const Run& run, const Workspace& w, std::int64_t stage) {
  const ScheduleRef schedule = schedule_of(run);
  const bool pairs = schedule.entry().pairs;
  const std::int64_t m = run.strategy.micro_batches / copies_of_model(schedule.layout());
  Seconds busy{};
  for_each_chunk(run, stage, [&](std::int64_t part) {
    const auto j = static_cast<std::size_t>(part);
    busy += w.forward[j] + w.backward[j] - (pairs ? w.hidden[j] : Seconds());
  });
  return busy * static_cast<double>(m);
}

}  // namespace

bool takes_a_period(const Run& run) { return run.strategy.post_validation; }

template <>
PipelineTime<double> pipeline_time(const Run& run, Workspace& w, std::int64_t until) {
  fill_swept(run, w);
  return {at_stage(w.swept.sent, until), at_stage(w.swept.free, until)};
}

template <>
PipelineTime<Traced> pipeline_time(const Run& run, WorkspaceOf<Traced>& w, std::int64_t until) {
  return {recorded(run, w, until, true), recorded(run, w, until, false)};
}

template <Number R>
std::span<const Seconds> stages_done(const Run& run, WorkspaceOf<R>& w) {
  if (takes_a_period(run)) return {};
  fill_swept(run, w);
  return w.swept.sent;
}

template std::span<const Seconds> stages_done(const Run&, Workspace&);
template std::span<const Seconds> stages_done(const Run&, WorkspaceOf<Traced>&);

Seconds pipeline_bound(const Run& run, const Workspace& w) {
  if (schedule_of(run).entry().written_out) {
    Seconds most{};
    for (std::int64_t i = 0; i < run.strategy.pp; ++i) most = std::max(most, least_busy(run, w, i));
    return most;
  }
  const std::span<const Seconds> free(kFree.data(), w.forward.size() - 1);
  return pipeline_lower_bound(pipeline_shape(run), {w.forward, w.backward, free, free});
}

// The first micro batch comes down the stages before, unless schedule and copies of the model may
// begin elsewhere.
Seconds least_until_done(const Run& run, const Workspace& w, std::int64_t stage) {
  Seconds begins{};
  if (!schedule_of(run).entry().written_out) {
    for (std::int64_t j = 0; j < stage; ++j) begins += w.forward[static_cast<std::size_t>(j)];
  }
  return begins + least_busy(run, w, stage);
}

}  // namespace orrery
