// SPDX-License-Identifier: Apache-2.0
#include "estimate/boundary_sends.h"

#include <algorithm>

#include "estimate/classes.h"
#include "estimate/comm_lines.h"
#include "estimate/run.h"
#include "estimate/sends.h"
#include "estimate/workspace.h"

namespace orrery {
namespace {

// The last chunk of the last stage sends on to the first stage.
bool comes_round(const Run& run) {
  return run.strategy.vpp > 1 && schedule_of(run).layout() == ChunkLayout::looped;
}

// From a stage to its successor, of the last one to the first; each is priced once.
template <Number R>
void fill_sends_from_stages(const Run& run, WorkspaceOf<R>& w) {
  w.sends.clear();
  for (std::int64_t i = 0; i + (comes_round(run) ? 0 : 1) < run.strategy.pp; ++i) {
    w.sends.push_back(send_cost<R>(run, w.prices.placement, i).time);
  }
}

// Sends of a stage's own chunks in a micro batch: forward except from the last, back except from
// the first and to a part that takes no gradient.
template <Number R>
std::int64_t sends_of_stage(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage) {
  const PipelineShape shape = pipeline_shape(run);
  const ChunkLayout layout = schedule_of(run).layout();
  std::int64_t sends = 0;
  for (std::int64_t chunk = 0; chunk < shape.chunks; ++chunk) {
    const std::int64_t j = part_of(layout, shape, stage, chunk);
    const std::int64_t m = micro_batches_of(layout, shape, chunk).first;
    const auto is_elsewhere = [&](std::int64_t part) {
      if (part < 0 || part >= parts(layout, shape)) return false;
      return seat_of(layout, shape, part, m).stage != stage;
    };
    sends += is_elsewhere(j + 1) ? 1 : 0;
    sends += is_elsewhere(j - 1) && takes_gradient<R>(w, j - 1) ? 1 : 0;
  }
  return sends;
}

}  // namespace

template <Number R>
void fill_sends(const Run& run, WorkspaceOf<R>& w) {
  const PipelineShape shape = pipeline_shape(run);
  const ChunkLayout layout = schedule_of(run).layout();
  fill_sends_from_stages(run, w);
  const auto sent_from = [&w](std::int64_t i) { return w.sends[static_cast<std::size_t>(i)]; };
  w.send_forward.resize(w.class_of.size() - 1);
  for (std::size_t j = 0; j < w.send_forward.size(); ++j) {
    const auto part = static_cast<std::int64_t>(j);
    const std::int64_t here = seat_of(layout, shape, part, 0).stage;
    const std::int64_t next = seat_of(layout, shape, part + 1, 0).stage;
    w.send_forward[j] = here == next ? SecondsOf<R>{} : sent_from(std::min(here, next));
    if (layout == ChunkLayout::looped) w.send_forward[j] = sent_from(here);
    if (layout == ChunkLayout::two_way) {
      w.send_forward[j] = larger(w.send_forward[j], sent_from(run.strategy.pp - 2 - here));
    }
  }
  w.send_backward = w.send_forward;
  for (std::size_t j = 0; j < w.send_backward.size(); ++j) {
    if (takes_gradient<R>(w, static_cast<std::int64_t>(j))) break;  // and all after it do
    w.send_backward[j] = SecondsOf<R>{};
  }
}

template <Number R>
SecondsOf<R> add_send_lines(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage,
                            std::int64_t m, SecondsOf<R> added, const CommSink<R>& sink) {
  const std::int64_t sends = sends_of_stage<R>(run, w, stage) * m;
  if (sends == 0) return {};
  const bool only_back = !comes_round(run) && stage + 1 == run.strategy.pp;
  const SendCost<R> c = send_cost<R>(run, w.prices.placement, stage - (only_back ? 1 : 0));
  const R of_send = c.send.time / (c.send.time + c.gather.time);
  const SecondsOf<R> sent = added * of_send;
  const SecondsOf<R> gathered = added - sent;
  add_line<R>(sink, entry_of(CommDimension::pp, Collective::point_to_point, c.send, 2, sends, sent),
              c.send.message);
  add_line<R>(sink,
              entry_of(CommDimension::pp, Collective::all_gather, c.gather, c.gather_ranks, sends,
                       gathered),
              c.gather.message);
  return added;
}

template void fill_sends(const Run&, WorkspaceOf<double>&);
template void fill_sends(const Run&, WorkspaceOf<Traced>&);
template Seconds add_send_lines(const Run&, const WorkspaceOf<double>&, std::int64_t, std::int64_t,
                                Seconds, const CommSink<double>&);
template SecondsOf<Traced> add_send_lines(const Run&, const WorkspaceOf<Traced>&, std::int64_t,
                                          std::int64_t, SecondsOf<Traced>, const CommSink<Traced>&);

}  // namespace orrery
