// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline.h"

#include <algorithm>

#include "sim/simulate.h"

namespace orrery {
namespace {

constexpr EnumArray<StepKind, SpanKind> kSpanKinds = {SpanKind::forward, SpanKind::backward,
                                                      SpanKind::input_gradient,
                                                      SpanKind::weight_gradient, SpanKind::pair};

class StageSpans {
 public:
  StageSpans(const Simulation& s, std::size_t stage)
      : s_(s), times_(s.played.times), stage_(stage) {}

  std::vector<Span> list() {
    const StageTimes& t = times_.stages[stage_];
    const Seconds begin = s_.plan.begins[stage_];
    add({begin, t.copied, SpanKind::save, Stream::copy});
    add(gather(begin + s_.plan.save.stall, t.gathered));
    for (std::int64_t k = s_.graph.order_begin[stage_]; k < s_.graph.order_begin[stage_ + 1]; ++k) {
      add_pass(s_.graph.order[static_cast<std::size_t>(k)]);
    }
    add_end(t);
    return std::move(spans_);
  }

 private:
  void add(const Span& span) {
    if (span.end > span.begin) spans_.push_back(span);
  }

  Span gather(Seconds begin, Seconds end) const {
    return {begin, end, SpanKind::gather, Stream::dp, true, false, -1, -1, s_.plan.gradient_use};
  }

  void add_pass(std::int32_t node) {
    const auto n = static_cast<std::size_t>(node);
    const PassSlot& slot = slot_of(s_.graph, n);
    const Seconds begin = times_.pass_begin[n];
    const Seconds end = times_.pass_end[n];
    add({begin, end, kSpanKinds[slot.kind], Stream::compute, true, false, node});
    add_streams(slot, node);
    if (!s_.fetches.empty()) add_fetches(slot, node);
    if (slot.first) add_beside(SpanKind::gather, node, beside_forward(s_.plan, slot.cell));
    if (slot.last) add_beside(SpanKind::reduce, node, beside_backward(s_.plan, slot.backward_cell));
    if (slot.sends_forward) add_send(node, true);
    if (slot.sends_back) add_send(node, false);
  }

  // For a pair those of forward and backward. Fetches show the traffic of `dp` one by one.
  void add_streams(const PassSlot& slot, std::int32_t node) {
    const Seconds begin = times_.pass_begin[static_cast<std::size_t>(node)];
    const Seconds end = times_.pass_end[static_cast<std::size_t>(node)];
    for (const Stream i : {Stream::tp, Stream::cp, Stream::ep, Stream::dp, Stream::copy}) {
      if (i == Stream::dp && !s_.fetches.empty()) continue;
      Seconds busy{};
      if (has_forward(slot.kind)) busy += s_.passes[slot.cell].forward[i].busy;
      if (has_input_gradient(slot.kind)) busy += s_.passes[slot.backward_cell].backward[i].busy;
      add({begin, std::min(end, begin + busy), SpanKind::collectives, i, true, false, node});
    }
  }

  // All fetches of a pass, in the order of the link; for a pair those of forward and backward.
  void add_fetches(const PassSlot& slot, std::int32_t node) {
    if (has_forward(slot.kind)) add_layers(s_.fetches[slot.cell].forward, node);
    if (has_input_gradient(slot.kind)) add_layers(s_.fetches[slot.backward_cell].backward, node);
  }

  void add_layers(const std::vector<Fetch>& fetches, std::int32_t node) {
    const Seconds begin = times_.pass_begin[static_cast<std::size_t>(node)];
    const Seconds end = times_.pass_end[static_cast<std::size_t>(node)];
    for (const Fetch& f : fetches) {
      add({std::min(end, begin + f.begin), std::min(end, begin + f.end),
           f.gathers ? SpanKind::gather : SpanKind::reduce, Stream::dp, true, true, node, -1, 0,
           f.layer});
    }
  }

  void add_beside(SpanKind kind, std::int32_t node, Seconds hidden) {
    if (!(hidden > Seconds())) return;
    const auto n = static_cast<std::size_t>(node);
    const Seconds begin = times_.pass_begin[n];
    const Seconds end = times_.pass_end[n];
    const double share = s_.plan.gradient_use * hidden / (end - begin);
    add({begin, end, kind, Stream::dp, true, true, node, -1, share});
  }

  void add_send(std::int32_t node, bool forward) {
    const PassSlot& slot = slot_of(s_.graph, static_cast<std::size_t>(node));
    const SendPlan& plan = s_.plan.sends[forward ? slot.cell : slot.backward_cell];
    const Seconds alone = forward ? plan.forward : plan.backward;
    if (alone == Seconds()) return;
    const auto r = 2 * static_cast<std::size_t>(node) + (forward ? 0 : 1);
    const Seconds begin = times_.pass_end[static_cast<std::size_t>(node)];
    const Seconds end = times_.arrival[r];
    add({begin, end, SpanKind::send, Stream::pp, forward, false, node, s_.graph.needed_by[r],
         end > begin ? alone / (end - begin) : 0.0});
  }

  void add_end(const StageTimes& t) {
    const Seconds bare = s_.plan.stages[stage_].gradients.exposed;
    if (bare > Seconds() && t.reduced > t.finished) {
      add({t.finished, t.reduced, SpanKind::reduce, Stream::dp, true, false, -1, -1,
           s_.plan.gradient_use * bare / (t.reduced - t.finished)});
    }
    for (const Rendezvous& r : s_.plan.rendezvous) {
      if (r.first != stage_ && r.second != stage_) continue;
      add({t.joined - r.time, t.joined, SpanKind::shared_gradients, Stream::pp});
    }
    const Seconds update = t.device_update + t.host_update;
    add({t.updated - update, t.updated, SpanKind::update, Stream::compute});
    add(gather(t.updated, t.end));
  }

  const Simulation& s_;
  const StepClock& times_;
  std::size_t stage_;
  std::vector<Span> spans_;
};

}  // namespace

std::vector<Span> spans_of_stage(const Simulation& s, std::size_t stage) {
  return StageSpans(s, stage).list();
}

}  // namespace orrery
