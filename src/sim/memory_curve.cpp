// SPDX-License-Identifier: Apache-2.0
#include "sim/memory_curve.h"

#include <algorithm>

#include "estimate/classes.h"
#include "estimate/run.h"
#include "estimate/stage_contents.h"
#include "estimate/workspace.h"
#include "memory/peak_moment.h"

namespace orrery {
namespace {

// With all gradients of the step there from its first pass on, and without the update's copies:
// the moments of a step that the closed form tells apart are not passes.
Run without_moments(const Run& run) {
  Run same = run;
  same.framework.gradients.freed_with_step = false;
  same.framework.update.moment_lists = 0;
  same.framework.update.fp32_gradients = false;
  return same;
}

class StageCurve {
 public:
  StageCurve(const Run& run, Workspace& w, const StepPlan& plan, const PassGraph& graph,
             const StepClock& times, std::size_t stage)
      : run_(run),
        graph_(graph),
        times_(times),
        stage_(stage),
        closed_(
            memory_of_stage<double>(without_moments(run), w, static_cast<std::int64_t>(stage))) {
    const auto p = static_cast<std::size_t>(plan.shape.stages);
    for (std::size_t cell = stage; cell < plan.passes.size(); cell += p) {
      chunks_.push_back(
          class_of<double>(w, part_of_cell(plan, static_cast<std::int64_t>(cell))).activations);
    }
    held_.resize(chunks_.size());
    for (const ChunkActivations<double>& c : chunks_) {
      largest_ = std::max(largest_, c.largest);
      moved_ = std::max(moved_, c.moved);
    }
  }

  MemoryCurve draw() {
    out_.closed_peak = closed_.peak;
    level(Seconds(), with(held()), -1);
    for (std::int64_t k = graph_.order_begin[stage_]; k < graph_.order_begin[stage_ + 1]; ++k) {
      pass(graph_.order[static_cast<std::size_t>(k)]);
    }
    const Bytes at_work = activations_of(closed_) - activations_of(out_.peak);
    const Bytes held = held_of(closed_) - held_of(out_.peak);
    out_.less_held = held;
    out_.less_at_work = at_work - held;
    return std::move(out_);
  }

 private:
  std::size_t chunk_of(std::size_t cell) const {
    return cell / static_cast<std::size_t>(graph_.shape.stages);
  }

  void pass(std::int32_t node) {
    const auto n = static_cast<std::size_t>(node);
    const PassSlot& s = slot_of(graph_, n);
    if (has_forward(s.kind)) take(chunk_of(s.cell));
    StageActivations<double> a = held();
    if (has_input_gradient(s.kind)) add_backward(a, chunks_[chunk_of(s.backward_cell)]);
    const StageMemory<double> m = with(a);
    const Seconds begin = times_.pass_begin[n];
    level(begin, m, node);
    if (out_.peak_node < 0 || m.peak > out_.peak.peak) {
      out_.peak = m;
      out_.peak_node = node;
      out_.peak_at = begin;
    }
    give_back(s);
    level(times_.pass_end[n], with(held()), node);
  }

  void take(std::size_t chunk) {
    ++held_[chunk].whole;
    std::int64_t all = 0;
    for (const HeldChunk& h : held_) all += h.whole + h.for_weights;
    out_.most_in_flight = std::max(out_.most_in_flight, all);
  }

  void give_back(const PassSlot& s) {
    HeldChunk& h = held_[chunk_of(s.backward_cell)];
    if (has_input_gradient(s.kind)) --h.whole, ++h.for_weights;
    if (has_weight_gradient(s.kind)) --h.for_weights;
  }

  // Memory between two passes.
  StageActivations<double> held() const {
    StageActivations<double> a;
    a.largest = largest_;
    a.moved = moved_;
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
      const auto whole = static_cast<double>(held_[c].whole);
      a.kept += chunks_[c].kept * whole +
                chunks_[c].for_weights * static_cast<double>(held_[c].for_weights);
      a.stays += chunks_[c].stays * whole;
      a.logits += chunks_[c].logits * whole;
      a.in_flight += held_[c].whole + held_[c].for_weights;
    }
    return a;
  }

  StageMemory<double> with(const StageActivations<double>& a) const {
    StageMemory<double> m = closed_;
    set_activations(m, run_.strategy, a);
    settle(m, run_.framework, run_.cluster.device.memory_capacity);
    return m;
  }

  static Bytes held_of(const StageMemory<double>& m) {
    return m[MemoryLine::activations] + m[MemoryLine::logits];
  }

  static Bytes activations_of(const StageMemory<double>& m) {
    return held_of(m) + m[MemoryLine::recompute_working] + m[MemoryLine::transient];
  }

  void level(Seconds time, const StageMemory<double>& m, std::int32_t node) {
    if (!out_.points.empty() && out_.points.back().time == time) {
      out_.points.back() = {time, m.peak, node};
    } else if (out_.points.empty() || out_.points.back().bytes != m.peak) {
      out_.points.push_back({time, m.peak, node});
    }
  }

  const Run& run_;
  const PassGraph& graph_;
  const StepClock& times_;
  std::size_t stage_;
  StageMemory<double> closed_;
  std::vector<ChunkActivations<double>> chunks_;
  std::vector<HeldChunk> held_;
  Bytes largest_{};
  Bytes moved_{};
  MemoryCurve out_;
};

}  // namespace

std::vector<MemoryCurve> memory_curves(const Run& run, Workspace& w, const StepPlan& plan,
                                       const PassGraph& graph, const StepClock& times) {
  std::vector<MemoryCurve> curves;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    curves.push_back(StageCurve(run, w, plan, graph, times, i).draw());
  }
  return curves;
}

}  // namespace orrery
