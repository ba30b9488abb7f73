// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep_step.h"

#include <algorithm>

namespace orrery {
namespace {

// Walks the graph in order. kCopy adds the time that passes lose beside a checkpoint copy.
template <bool kKeep, bool kOverlap, bool kCopy>
void sweep(const PassGraph& graph, const CostTable& costs, double slowdown, StepClock& times) {
  StageTimes* const stage = times.stages.data();
  Seconds* const arrival = times.arrival.data();
  const Seconds* const pass = costs.pass.data();
  const Seconds* const send = costs.send.data();
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const PassNode node = graph.nodes[n];
    Seconds& free = stage[node.stage].finished;
    double begin = free.si();
    if (node.needs[0] >= 0) begin = std::max(begin, arrival[node.needs[0]].si());
    if (node.needs[1] >= 0) begin = std::max(begin, arrival[node.needs[1]].si());
    Seconds duration = pass[node.slot];
    if constexpr (kCopy) {
      duration += lost_beside_copy(slowdown, stage[node.stage].copied, Seconds(begin),
                                   costs.compute[node.slot]);
    }
    const Seconds end = Seconds(begin) + duration;
    const Seconds* const sent = send + 2 * node.slot;
    arrival[2 * n] = end + sent[0];
    arrival[2 * n + 1] = end + sent[1];
    free = kOverlap ? end : std::max(arrival[2 * n], arrival[2 * n + 1]);
    if constexpr (kKeep) {
      times.pass_begin[n] = Seconds(begin);
      times.pass_end[n] = end;
    }
  }
}

template <bool kKeep, bool kOverlap>
void sweep(const StepPlan& plan, const PassGraph& graph, const CostTable& costs, StepClock& times) {
  plan.save.copy > Seconds() ? sweep<kKeep, kOverlap, true>(graph, costs, plan.save.slowdown, times)
                             : sweep<kKeep, kOverlap, false>(graph, costs, 0, times);
}

}  // namespace

void sweep_step(const StepPlan& plan, const PassGraph& graph, const Effects& effects, Keep keep,
                StepClock& times) {
  const std::size_t n = graph.nodes.size();
  const CostTable costs = cost_table(plan, graph, effects);
  times.stages.assign(plan.stages.size(), {});
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    times.stages[i].gathered = times.stages[i].finished = start_of(plan, i);
    times.stages[i].copied = copied_at(plan, i);
  }
  times.arrival.resize(2 * n);
  times.pass_begin.resize(keep == Keep::passes ? n : 0);
  times.pass_end.resize(keep == Keep::passes ? n : 0);
  if (keep == Keep::passes) {
    effects.sends_overlap ? sweep<true, true>(plan, graph, costs, times)
                          : sweep<true, false>(plan, graph, costs, times);
  } else {
    effects.sends_overlap ? sweep<false, true>(plan, graph, costs, times)
                          : sweep<false, false>(plan, graph, costs, times);
  }
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    times.stages[i].reduced = times.stages[i].finished + plan.stages[i].gradients.exposed;
  }
  finish_step(plan, {}, times);
}

StepClock sweep_step(const StepPlan& plan, const PassGraph& graph, const Effects& effects,
                     Keep keep) {
  StepClock times;
  sweep_step(plan, graph, effects, keep, times);
  return times;
}

}  // namespace orrery
