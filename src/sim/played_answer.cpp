// SPDX-License-Identifier: Apache-2.0
#include "sim/played_answer.h"

#include <algorithm>

#include "estimate/workspace.h"
#include "sim/simulate.h"
#include "sim/stage_lines.h"

namespace orrery {
namespace {

Seconds sum_of_passes(const Simulation& s, std::size_t stage) {
  return time_in_passes(s.graph, s.played.times, stage);
}

// The busiest stage of the closed form, unless another is busier here.
std::size_t busiest_stage(const Simulation& s, std::int64_t of_closed_form) {
  auto busiest = static_cast<std::size_t>(of_closed_form);
  Seconds most = sum_of_passes(s, busiest) * (1 + 1e-9);
  for (std::size_t i = 0; i < s.plan.stages.size(); ++i) {
    const Seconds busy = sum_of_passes(s, i);
    if (busy > most) most = busy, busiest = i;
  }
  return busiest;
}

// Time that a stage waits for a checkpoint: before its passes, and before its update.
Seconds exposed_by_save(const Simulation& s, std::size_t stage) {
  const StepClock& times = s.played.times;
  const Seconds ready = ready_to_update(s.plan, times, stage);
  return s.plan.save.stall + std::max(Seconds(), times.stages[stage].copied - ready);
}

// Slow kernels, recomputed ones among them, each by its share.
void add_delay(Seconds delay, Terms<double>& terms) {
  const Seconds all = kernels(terms);
  const double recomputed = all > Seconds() ? terms[Term::recompute] / all : 0.0;
  terms[Term::recompute] += delay * recomputed;
  terms[Term::compute] += delay * (1 - recomputed);
}

// Times of a stage's passes, including delays beyond the plan.
Terms<double> terms_of_passes(const Simulation& s, std::size_t stage) {
  Terms<double> terms{};
  Seconds planned{};
  for (std::size_t j = stage; j < s.plan.passes.size(); j += s.plan.stages.size()) {
    const PassPlan& p = s.plan.passes[j];
    const double m = micro_batches_through(s.plan, j);
    planned += (p.forward + p.backward) * m;
    for (const Term t : kAllOf<Term>) {
      terms[t] += (p.forward_terms[t] + p.backward_terms[t]) * m;
    }
  }
  const Seconds hidden = hidden_in_pairs(s.plan, s.graph, stage);
  terms[Term::ep_exposed] -= hidden;
  planned -= hidden;
  add_delay(sum_of_passes(s, stage) - planned, terms);
  return terms;
}

// Sums with the stage that holds the same parameters.
Seconds shared_gradients(const StepPlan& plan, std::size_t stage) {
  Seconds sum{};
  for (const Rendezvous& r : plan.rendezvous) {
    if (r.first == stage || r.second == stage) sum += r.time;
  }
  return sum;
}

// Time that the sends of all stages add to the step, without contention and slow parts.
Seconds added_by_sends(const Simulation& s) {
  for (const Gain& g : s.gains) {
    if (g.what == Shortened::sends) return g.all;
  }
  return {};
}

// Without the time of sends.
Terms<double> terms_of_stage(const Simulation& s, std::size_t stage) {
  const StageTimes& times = s.played.times.stages[stage];
  const ExposedTraffic exposed = exposed_traffic(s.plan, s.played.times, stage);
  Terms<double> terms = terms_of_passes(s, stage);
  terms[Term::dp_exposed] += exposed.gradients + exposed.weights;
  terms[Term::optimizer] += times.device_update;
  terms[Term::offload_exposed] += times.host_update;
  terms[Term::pp_exposed] += shared_gradients(s.plan, stage);
  terms[Term::other] += s.plan.overhead;
  terms[Term::offload_exposed] += exposed_by_save(s, stage);
  return terms;
}

}  // namespace

Answer played_answer(const Run& run, Workspace& workspace, const Simulation& s) {
  Answer a = estimate<double>(run, workspace);
  const std::size_t stage = busiest_stage(s, a.busy_stage);
  a.busy_stage = a.end_stage = static_cast<std::int64_t>(stage);
  a.step_time = s.played.times.step;
  a.breakdown = terms_of_stage(s, stage);
  Seconds sum{};
  for (const Seconds& t : a.breakdown) sum += t;
  const Seconds waits = std::max(Seconds(), a.step_time - sum);
  const Seconds sends = std::min(waits, added_by_sends(s));
  a.breakdown[Term::pp_exposed] += sends;
  a.breakdown[Term::pp_bubble] = waits - sends;
  fit_lines(s.lines[stage], a);
  a.interval_low = a.step_time * run.framework.level.interval_low;
  a.interval_high = a.step_time * run.framework.level.interval_high;
  return a;
}

}  // namespace orrery
