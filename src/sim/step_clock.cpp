// SPDX-License-Identifier: Apache-2.0
#include "sim/step_clock.h"

#include <algorithm>

namespace orrery {
namespace {

std::size_t stage_of(const StepPlan& plan, std::size_t cell) {
  return cell % static_cast<std::size_t>(plan.shape.stages);
}

template <class Of>
Seconds sum_of_stage(const StepPlan& plan, std::size_t stage, Of&& of) {
  Seconds sum{};
  for (std::size_t j = stage; j < plan.passes.size();
       j += static_cast<std::size_t>(plan.shape.stages)) {
    sum += of(plan.passes[j]);
  }
  return sum;
}

Seconds part(Seconds hidden, Seconds mine, Seconds all) {
  return all > Seconds() ? hidden * (mine / all) : Seconds();
}

}  // namespace

Seconds beside_forward(const StepPlan& plan, std::size_t cell) {
  if (!plan.gathers_first) return {};
  const std::size_t i = stage_of(plan, cell);
  const Seconds all = sum_of_stage(plan, i, [](const PassPlan& p) { return p.forward; });
  return part(plan.stages[i].weights.hidden, plan.passes[cell].forward, all);
}

Seconds beside_backward(const StepPlan& plan, std::size_t cell) {
  const std::size_t i = stage_of(plan, cell);
  const Seconds all = sum_of_stage(plan, i, [](const PassPlan& p) { return p.backward; });
  return part(plan.stages[i].gradients.hidden, plan.passes[cell].backward, all);
}

namespace {

// Of one kind of pass: all of it, and of that kernels.
struct PassTime {
  Seconds all{};
  Seconds kernels{};
};

PassTime pass_time(const StepPlan& plan, const PassSlot& s) {
  const PassPlan& down = plan.passes[s.cell];
  const PassPlan& up = plan.passes[s.backward_cell];
  const PassTime forward{down.forward, kernels(down.forward_terms)};
  const PassTime backward{up.backward, kernels(up.backward_terms)};
  switch (s.kind) {
    case StepKind::forward:
      return forward;
    case StepKind::backward:
      return backward;
    case StepKind::input_gradient:
      return {backward.all - up.weight, backward.kernels - up.weight};
    case StepKind::weight_gradient:
      return {up.weight, up.weight};
    case StepKind::pair:
      return {forward.all + backward.all - down.hidden, forward.kernels + backward.kernels};
  }
  return {};
}

}  // namespace

CostTable cost_table(const StepPlan& plan, const PassGraph& graph, const Effects& effects) {
  CostTable t;
  const double slowdown = effects.slowdown ? plan.slowdown : 0;
  for (const PassSlot& s : graph.slots) {
    const PassTime time = pass_time(plan, s);
    Seconds beside{};
    if (s.first) beside += beside_forward(plan, s.cell);
    if (s.last) beside += beside_backward(plan, s.backward_cell);
    t.pass.push_back((time.all + slowdown * beside).si());
    t.compute.push_back((time.kernels + slowdown * beside).si());
    t.send.push_back(s.sends_forward ? plan.sends[s.cell].forward.si() : 0);
    t.send.push_back(s.sends_back ? plan.sends[s.backward_cell].backward.si() : 0);
  }
  return t;
}

double start_of(const StepPlan& plan, std::size_t stage) {
  return plan.gathers_first ? plan.stages[stage].weights.exposed.si() : 0;
}

void finish_step(const StepPlan& plan, StepClock& times) {
  const std::size_t p = plan.stages.size();
  std::vector<StageTimes>& stages = times.stages;
  for (std::size_t i = 0; i < p; ++i) {
    stages[i].reduced = stages[i].finished + plan.stages[i].gradients.exposed.si();
    stages[i].joined = stages[i].reduced;
  }
  if (plan.tied > Seconds()) {
    const double both = std::max(stages[0].reduced, stages[p - 1].reduced) + plan.tied.si();
    stages[0].joined = stages[p - 1].joined = both;
  }
  double all = 0;
  for (const StageTimes& s : stages) all = std::max(all, s.joined);
  double end = 0;
  for (std::size_t i = 0; i < p; ++i) {
    const StagePlan& s = plan.stages[i];
    stages[i].updated = all + (s.device_update + s.host_update).si();
    stages[i].end = stages[i].updated + (plan.gathers_first ? 0 : s.weights.exposed.si());
    end = std::max(end, stages[i].end);
  }
  times.step = end + plan.overhead.si();
}

}  // namespace orrery
