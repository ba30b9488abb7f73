// SPDX-License-Identifier: Apache-2.0
#include "sim/step_clock.h"

#include <algorithm>

#include "cost/beside.h"

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

namespace {

Seconds copies_beside(const StepPlan& plan, const PassSlot& s) {
  Seconds t{};
  if (has_forward(s.kind)) t += plan.passes[s.cell].forward_copies;
  if (has_input_gradient(s.kind)) t += plan.passes[s.backward_cell].backward_copies;
  return t;
}

}  // namespace

CostTable cost_table(const StepPlan& plan, const PassGraph& graph, const Effects& effects) {
  CostTable t;
  const double slowdown = effects.slowdown ? plan.slowdown : 0;
  const double copy_slowdown = effects.slowdown ? plan.copy_slowdown : 0;
  for (const PassSlot& s : graph.slots) {
    const PassTime time = pass_time(plan, s);
    Seconds beside{};
    if (s.first) beside += beside_forward(plan, s.cell);
    if (s.last) beside += beside_backward(plan, s.backward_cell);
    const Seconds lost = lost_beside<double>(slowdown, beside) +
                         lost_beside<double>(copy_slowdown, copies_beside(plan, s));
    t.pass.push_back(time.all + lost);
    t.compute.push_back(time.kernels + lost);
    t.send.push_back(s.sends_forward ? plan.sends[s.cell].forward : Seconds());
    t.send.push_back(s.sends_back ? plan.sends[s.backward_cell].backward : Seconds());
  }
  return t;
}

Seconds copied_at(const StepPlan& plan, std::size_t stage) {
  return plan.begins[stage] + (plan.save.stall + plan.save.copy);
}

Seconds ready_to_update(const StepPlan& plan, const StepClock& times, std::size_t stage) {
  if (plan.goes_on) return times.stages[stage].joined;
  Seconds all{};
  for (const StageTimes& s : times.stages) all = std::max(all, s.joined);
  return all;
}

Seconds start_of(const StepPlan& plan, std::size_t stage) {
  const Seconds gather = plan.gathers_first ? plan.stages[stage].weights.exposed : Seconds();
  return plan.begins[stage] + plan.save.stall + gather;
}

namespace {

// All replicas of a stage reduce together.
void join_replicas(StepClock& times, std::size_t stages) {
  std::vector<StageTimes>& t = times.stages;
  for (std::size_t i = 0; i < stages; ++i) {
    Seconds all{};
    for (std::size_t a = i; a < t.size(); a += stages) all = std::max(all, t[a].reduced);
    for (std::size_t a = i; a < t.size(); a += stages) t[a].reduced = t[a].joined = all;
  }
}

void join_rendezvous(const StepPlan& plan, StepClock& times) {
  std::vector<StageTimes>& t = times.stages;
  for (const Rendezvous& r : plan.rendezvous) {
    const Seconds both = std::max(t[r.first].reduced, t[r.second].reduced) + r.time;
    for (std::size_t a = 0; a < t.size(); a += plan.stages.size()) {
      t[a + r.first].joined = t[a + r.second].joined = both;
    }
  }
}

}  // namespace

ExposedTraffic exposed_traffic(const StepPlan& plan, const StepClock& times, std::size_t stage) {
  const StageTimes& t = times.stages[stage];
  const Seconds first = t.gathered - (plan.begins[stage] + plan.save.stall);
  return {t.reduced - t.finished, plan.gathers_first ? first : t.end - t.updated};
}

void finish_step(const StepPlan& plan, const Speeds& speeds, StepClock& times) {
  join_replicas(times, plan.stages.size());
  join_rendezvous(plan, times);
  Seconds all{};
  for (const StageTimes& s : times.stages) all = std::max(all, s.joined);
  Seconds last{};
  Seconds longest{};
  for (std::size_t a = 0; a < times.stages.size(); ++a) {
    StageTimes& t = times.stages[a];
    const std::size_t i = a % plan.stages.size();
    const StagePlan& s = plan.stages[i];
    t.device_update = s.device_update * kernel_factor(speeds, a);
    t.host_update = s.host_update;
    t.updated =
        std::max(plan.goes_on ? t.joined : all, t.copied) + (t.device_update + t.host_update);
    const Seconds gather = plan.gathers_first ? Seconds() : s.weights.exposed;
    t.end = t.updated + gather;
    last = std::max(last, t.end);
    longest = std::max(longest, t.end - plan.begins[i]);
  }
  times.last = last + plan.overhead;
  times.step = longest + plan.overhead;
}

Seconds time_in_passes(const PassGraph& graph, const StepClock& times, std::size_t stage) {
  Seconds sum{};
  for (std::int64_t k = graph.order_begin[stage]; k < graph.order_begin[stage + 1]; ++k) {
    const auto n = static_cast<std::size_t>(graph.order[static_cast<std::size_t>(k)]);
    sum += times.pass_end[n] - times.pass_begin[n];
  }
  return sum;
}

Seconds hidden_in_pairs(const StepPlan& plan, const PassGraph& graph, std::size_t stage) {
  Seconds sum{};
  for (std::int64_t k = graph.order_begin[stage]; k < graph.order_begin[stage + 1]; ++k) {
    const auto n = static_cast<std::size_t>(graph.order[static_cast<std::size_t>(k)]);
    const PassSlot& slot = slot_of(graph, n);
    if (slot.kind == StepKind::pair) sum += plan.passes[slot.cell].hidden;
  }
  return sum;
}

}  // namespace orrery
