// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep_step.h"

#include <algorithm>

namespace orrery {
namespace {

template <bool kKeep, bool kOverlap>
void sweep(const PassGraph& graph, const CostTable& costs, StepClock& times) {
  StageTimes* const stage = times.stages.data();
  double* const arrival = times.arrival.data();
  const double* const pass = costs.pass.data();
  const double* const send = costs.send.data();
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const PassNode node = graph.nodes[n];
    double& free = stage[node.stage].finished;
    double begin = free;
    if (node.needs[0] >= 0) begin = std::max(begin, arrival[node.needs[0]]);
    if (node.needs[1] >= 0) begin = std::max(begin, arrival[node.needs[1]]);
    const double end = begin + pass[node.slot];
    const double* const sent = send + 2 * node.slot;
    arrival[2 * n] = end + sent[0];
    arrival[2 * n + 1] = end + sent[1];
    free = kOverlap ? end : std::max(arrival[2 * n], arrival[2 * n + 1]);
    if constexpr (kKeep) {
      times.pass_begin[n] = begin;
      times.pass_end[n] = end;
    }
  }
}

}  // namespace

void sweep_step(const StepPlan& plan, const PassGraph& graph, const Effects& effects, Keep keep,
                StepClock& times) {
  const std::size_t n = graph.nodes.size();
  const CostTable costs = cost_table(plan, graph, effects);
  times.stages.assign(plan.stages.size(), {});
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    times.stages[i].gathered = times.stages[i].finished = start_of(plan, i);
  }
  times.arrival.resize(2 * n);
  times.pass_begin.resize(keep == Keep::passes ? n : 0);
  times.pass_end.resize(keep == Keep::passes ? n : 0);
  if (keep == Keep::passes) {
    effects.sends_overlap ? sweep<true, true>(graph, costs, times)
                          : sweep<true, false>(graph, costs, times);
  } else {
    effects.sends_overlap ? sweep<false, true>(graph, costs, times)
                          : sweep<false, false>(graph, costs, times);
  }
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    times.stages[i].reduced = times.stages[i].finished + plan.stages[i].gradients.exposed.si();
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
