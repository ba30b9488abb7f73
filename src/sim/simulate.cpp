// SPDX-License-Identifier: Apache-2.0
#include "sim/simulate.h"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

Seconds sum_of_passes(const PassGraph& graph, const StepClock& times, std::size_t stage) {
  double sum = 0;
  for (std::int64_t k = graph.order_begin[stage]; k < graph.order_begin[stage + 1]; ++k) {
    const auto n = static_cast<std::size_t>(graph.order[static_cast<std::size_t>(k)]);
    sum += times.pass_end[n] - times.pass_begin[n];
  }
  return Seconds(sum);
}

class Simulator {
 public:
  Simulator(const Run& run, const SimulationOptions& options) : run_(run), options_(options) {}

  Simulation simulate() {
    out_.closed = estimate<double>(run_, workspace_);
    out_.plan = plan_step(run_, workspace_);
    out_.graph = make_graph(out_.plan.schedule, out_.plan.shape);
    play();
    out_.stages = stage_uses(run_, workspace_, out_.plan, out_.graph, times());
    out_.chain = critical_chain(out_.plan, out_.graph, times());
    out_.gains = gains(out_.plan, out_.graph, options_.effects);
    fill_answer();
    return std::move(out_);
  }

 private:
  const StepClock& times() const { return out_.played.times; }

  // Effects one after the other, so that each has its own difference.
  void play() {
    Effects effects{false, false, true};
    double before = out_.closed.step_time.si();
    const auto add = [&](Cause cause) {
      const double now = sweep_step(out_.plan, out_.graph, effects).step;
      differ(cause, before, now);
      before = now;
    };
    add(Cause::stages_end_apart);
    effects.slowdown = options_.effects.slowdown;
    add(Cause::slowdown);
    effects.sends_overlap = options_.effects.sends_overlap;
    add(Cause::blocking_sends);
    out_.played = play_step(out_.plan, out_.graph, options_.effects, {}, Keep::passes);
    differ(Cause::contention, before, times().step);
  }

  void differ(Cause cause, double before, double now) {
    const bool rounding = std::abs(now - before) <= 1e-9 * before;
    if (!rounding) out_.differences.push_back({cause, Seconds(now - before)});
  }

  // The closed form's answer with what the simulator says of the busiest stage. What is not one of
  // the other terms it waited.
  void fill_answer() {
    Answer& a = out_.answer = out_.closed;
    const auto b = static_cast<std::size_t>(a.busy_stage);
    const StagePlan& s = out_.plan.stages[b];
    Terms<double> terms{};
    Seconds planned{};
    const auto m = static_cast<double>(out_.plan.shape.micro_batches);
    for (std::size_t j = b; j < out_.plan.passes.size(); j += out_.plan.stages.size()) {
      const PassPlan& p = out_.plan.passes[j];
      planned += (p.forward + p.backward) * m;
      for (std::size_t i = 0; i < kTerms; ++i) {
        terms[i] += (p.forward_terms[i] + p.backward_terms[i]) * m;
      }
    }
    at(terms, Term::compute) += sum_of_passes(out_.graph, times(), b) - planned;
    at(terms, Term::dp_exposed) += s.gradients.exposed + s.weights.exposed;
    at(terms, Term::optimizer) += s.device_update;
    at(terms, Term::offload_exposed) += s.host_update;
    at(terms, Term::pp_exposed) += at(out_.stages[b], Stream::pp).exposed;
    at(terms, Term::other) += out_.plan.overhead;
    a.step_time = Seconds(times().step);
    Seconds sum{};
    for (const Seconds& t : terms) sum += t;
    at(terms, Term::pp_bubble) = std::max(Seconds(), a.step_time - sum);
    a.breakdown = terms;
    a.interval_low = a.step_time * run_.framework.interval_low;
    a.interval_high = a.step_time * run_.framework.interval_high;
  }

  const Run& run_;
  const SimulationOptions& options_;
  Workspace workspace_;
  Simulation out_;
};

}  // namespace

std::int64_t passes_of(const Run& run) {
  const PipelineShape shape = pipeline_shape(run.strategy);
  return 2 * shape.stages * steps_each_way(shape);
}

Simulation simulate(const Run& run, const SimulationOptions& options) {
  return Simulator(run, options).simulate();
}

}  // namespace orrery
