// SPDX-License-Identifier: Apache-2.0
#include "sim/simulate.h"

#include <algorithm>
#include <cmath>

#include "parallel/partition.h"
#include "sim/settle.h"

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
    if (!options_.failures.empty()) fail();
    make_plan();
    out_.graph = make_graph(out_.plan.schedule, out_.plan.shape);
    play();
    out_.passes = pass_uses(run_, workspace_, out_.plan);
    out_.exchanges = pass_exchanges(run_, workspace_, out_.plan);
    out_.stages = stage_uses(run_, workspace_, out_.plan, out_.passes, out_.graph, times());
    out_.memory = memory_curves(run_, workspace_, out_.plan, out_.graph, times());
    out_.chain = critical_chain(out_.plan, out_.graph, times());
    out_.gains = gains(out_.plan, out_.graph, options_.effects);
    fill_answer();
    out_.run = run_;
    return std::move(out_);
  }

 private:
  const StepClock& times() const { return out_.played.times; }

  StepClock swept(const Effects& effects) {
    const auto sweep = [&](Keep keep) { return sweep_step(out_.plan, out_.graph, effects, keep); };
    settle(out_.plan, out_.graph, sweep);
    return sweep(Keep::stages);
  }

  PlayedStep played(const Speeds& speeds, Keep keep) {
    const auto play = [&](Keep what) {
      return play_step(out_.plan, out_.graph, options_.effects, speeds, what);
    };
    settle(out_.plan, out_.graph, [&](Keep what) { return play(what).times; });
    return play(keep);
  }

  void fail() {
    const Survivors left = survivors(run_, options_.failures);
    run_ = left.run;
    failed_links_ = left.slow;
    differ(Cause::failed_parts, out_.closed.step_time.si(),
           estimate<double>(run_, workspace_).step_time.si());
  }

  bool is_off(std::size_t overlap) const { return (options_.without >> overlap & 1) != 0; }

  // With the overlaps off that are turned off so far.
  void make_plan(double expert_load = 1) {
    out_.plan = with_expert_load(run_, plan_step(run_, workspace_), expert_load);
    const std::vector<PassUse> uses = pass_uses(run_, workspace_, out_.plan);
    for (std::size_t c = 0; c < uses.size(); ++c) {
      const auto copy = static_cast<std::size_t>(Stream::copy);
      out_.plan.passes[c].forward_copies = hidden(uses[c].forward[copy]);
      out_.plan.passes[c].backward_copies = hidden(uses[c].backward[copy]);
    }
    out_.plan.save = save_;
    if (fetching_) {
      out_.fetches = fetch_in_order(run_, workspace_, options_.prefetch, out_.plan);
    }
    for (std::size_t i = 0; i < kOverlaps; ++i) {
      if (off_[i] && kOverlapTable[i].undo != nullptr) kOverlapTable[i].undo(out_.plan);
    }
  }

  void turn_off(std::size_t overlap) {
    off_[overlap] = true;
    const Overlap& o = kOverlapTable[overlap];
    if (o.turn_off != nullptr) o.turn_off(run_.framework);
    make_plan();
  }

  // Effects one after the other, so that each has its own difference.
  void play() {
    Effects effects{false, false, true};
    double before = estimate<double>(run_, workspace_).step_time.si();
    const auto add = [&](Cause cause) {
      const double now = swept(effects).step;
      differ(cause, before, now);
      before = now;
    };
    add(Cause::stages_end_apart);
    if (options_.save.any()) {
      save_ = options_.save;
      save_.slowdown = out_.plan.copy_slowdown;
      make_plan();
      add(Cause::checkpoint);
    }
    for (std::size_t i = 0; i < kOverlaps; ++i) {
      if (!is_off(i)) continue;
      turn_off(i);
      add(cause_of_overlap(i));
    }
    if (options_.prefetch >= 0) {
      fetching_ = true;
      hold_fetched(run_, workspace_, options_.prefetch);
      make_plan();
      add(Cause::fetch_order);
    }
    effects.slowdown = options_.effects.slowdown;
    add(Cause::slowdown);
    effects.sends_overlap = options_.effects.sends_overlap;
    add(Cause::blocking_sends);
    out_.played = played({}, Keep::passes);
    differ(Cause::contention, before, times().step);
    const bool alike = !options_.disturbances.any() && failed_links_.empty();
    if (!alike || options_.every_gpu) disturb();
  }

  // One disturbance after the other, each with what it adds.
  void disturb() {
    const Disturbances& all = options_.disturbances;
    double before = times().step;
    if (all.expert_load > 1) {
      make_plan(all.expert_load);
      out_.played = played({}, Keep::passes);
      differ(Cause::expert_load, before, times().step);
      before = times().step;
    }
    Disturbances some;
    some.seed = all.seed;
    PlayedStep crowd;
    const auto add = [&](Cause cause) {
      crowd = play_crowd(some);
      differ(cause, before, crowd.times.step);
      before = crowd.times.step;
    };
    some.slow = failed_links_;
    if (!some.slow.empty()) add(Cause::failed_parts);
    some.slow.insert(some.slow.end(), all.slow.begin(), all.slow.end());
    const bool later = all.spread > 0 || all.jitter > 0;
    if (!all.slow.empty() || (!later && failed_links_.empty())) add(Cause::slow_parts);
    some.spread = all.spread;
    if (all.spread > 0) add(Cause::spread);
    some.jitter = all.jitter;
    if (all.jitter > 0) add(Cause::jitter);
    show_slowest(some, crowd);
  }

  PlayedStep play_crowd(const Disturbances& d) {
    crowd_ = crowd_of(run_, out_.plan, d, options_.every_gpu);
    return played(crowd_.speeds, Keep::stages);
  }

  // The replica that is ready last is the one whose passes are looked at.
  void show_slowest(const Disturbances& d, const PlayedStep& crowd) {
    const std::size_t p = out_.plan.stages.size();
    std::size_t last = 0;
    for (std::size_t a = 0; a < crowd.times.stages.size(); ++a) {
      if (crowd.times.stages[a].finished > crowd.times.stages[last].finished) last = a;
    }
    const std::size_t shown = last / p;
    Speeds one = crowd_.speeds;
    one.replicas = 1;
    one.first_replica = static_cast<std::int64_t>(shown);
    const auto part = [&](std::vector<double>& v) {
      v = std::vector<double>(v.begin() + static_cast<std::ptrdiff_t>(shown * p),
                              v.begin() + static_cast<std::ptrdiff_t>((shown + 1) * p));
    };
    part(one.compute);
    part(one.link);
    out_.played = play_step(out_.plan, out_.graph, options_.effects, one, Keep::passes);
    for (std::size_t i = 0; i < p; ++i) {
      out_.played.times.stages[i] = crowd.times.stages[shown * p + i];
    }
    out_.played.times.step = crowd.times.step;
    out_.played.times.last = crowd.times.last;
    out_.played.events = crowd.events;
    fill_gpus(d, shown);
  }

  void fill_gpus(const Disturbances& d, std::size_t shown) {
    GpuUse& g = out_.gpus;
    g.replicas_played = crowd_.speeds.replicas;
    g.ranks_of_actor = crowd_.ranks_of_actor;
    g.actors = g.replicas_played * out_.plan.shape.stages;
    for (std::size_t r = crowd_.replica_class.size(); r-- > 0;) {
      if (crowd_.replica_class[r] == static_cast<std::int64_t>(shown)) {
        g.slowest_replica = static_cast<std::int64_t>(r);
      }
    }
    const std::vector<Seconds> of_stage = kernels_by_stage();
    const std::int64_t world = world_size(run_.strategy);
    for (std::int64_t rank = 0; rank < world; ++rank) {
      const RankPlace at = place_of_rank(run_.strategy, rank);
      const double slow = slowness_of_rank(run_, d, rank);
      g.slowness.push_back(slow);
      g.busy_share.push_back(of_stage[static_cast<std::size_t>(at.stage)].si() *
                             (slow + d.jitter / 2) / times().step);
    }
  }

  std::vector<Seconds> kernels_by_stage() const {
    std::vector<Seconds> sums(out_.plan.stages.size());
    for (std::size_t c = 0; c < out_.plan.passes.size(); ++c) {
      const PassPlan& p = out_.plan.passes[c];
      sums[c % sums.size()] += (kernels(p.forward_terms) + kernels(p.backward_terms)) *
                               micro_batches_through(out_.plan, c);
    }
    return sums;
  }

  void differ(Cause cause, double before, double now) {
    const bool rounding = std::abs(now - before) <= 1e-9 * before;
    if (!rounding) out_.differences.push_back({cause, Seconds(now - before)});
  }

  // The closed form's, unless another is busier here.
  std::size_t busiest_stage() const {
    auto busiest = static_cast<std::size_t>(out_.answer.busy_stage);
    Seconds most = sum_of_passes(out_.graph, times(), busiest) * (1 + 1e-9);
    for (std::size_t i = 0; i < out_.plan.stages.size(); ++i) {
      const Seconds busy = sum_of_passes(out_.graph, times(), i);
      if (busy > most) most = busy, busiest = i;
    }
    return busiest;
  }

  // What a stage stands still for a checkpoint: before its passes, and before its update.
  Seconds exposed_by_save(std::size_t stage) const {
    const double ready = ready_to_update(out_.plan, times(), stage);
    return out_.plan.save.stall + Seconds(std::max(0.0, times().stages[stage].copied - ready));
  }

  // The closed form's answer with what the simulator says of the busiest stage. What is not one of
  // the other terms it waited.
  void fill_answer() {
    Answer& a = out_.answer = estimate<double>(run_, workspace_);
    const std::size_t b = busiest_stage();
    a.busy_stage = static_cast<std::int64_t>(b);
    const StagePlan& s = out_.plan.stages[b];
    Terms<double> terms{};
    Seconds planned{};
    for (std::size_t j = b; j < out_.plan.passes.size(); j += out_.plan.stages.size()) {
      const PassPlan& p = out_.plan.passes[j];
      const double m = micro_batches_through(out_.plan, j);
      planned += (p.forward + p.backward) * m;
      for (std::size_t i = 0; i < kTerms; ++i) {
        terms[i] += (p.forward_terms[i] + p.backward_terms[i]) * m;
      }
    }
    const Seconds hidden = hidden_in_pairs(out_.plan, out_.graph, b);
    at(terms, Term::ep_exposed) -= hidden;
    planned -= hidden;
    at(terms, Term::compute) += sum_of_passes(out_.graph, times(), b) - planned;
    at(terms, Term::dp_exposed) += s.gradients.exposed + s.weights.exposed;
    at(terms, Term::optimizer) += s.device_update;
    at(terms, Term::offload_exposed) += s.host_update;
    at(terms, Term::pp_exposed) += at(out_.stages[b], Stream::pp).exposed;
    at(terms, Term::other) += out_.plan.overhead;
    at(terms, Term::offload_exposed) += exposed_by_save(b);
    a.step_time = Seconds(times().step);
    Seconds sum{};
    for (const Seconds& t : terms) sum += t;
    at(terms, Term::pp_bubble) = std::max(Seconds(), a.step_time - sum);
    a.breakdown = terms;
    a.interval_low = a.step_time * run_.framework.interval_low;
    a.interval_high = a.step_time * run_.framework.interval_high;
  }

  Run run_;
  const SimulationOptions& options_;
  std::array<bool, kOverlaps> off_{};
  Save save_;
  bool fetching_ = false;
  std::vector<Slow> failed_links_;
  Workspace workspace_;
  Crowd crowd_;
  Simulation out_;
};

}  // namespace

std::string name_of(Cause cause) {
  const auto i = static_cast<std::size_t>(cause);
  const auto first = static_cast<std::size_t>(Cause::overlap_off);
  return i < first ? std::string(kCauseNames[i])
                   : "without " + std::string(kOverlapTable[i - first].name);
}

std::string meaning_of(Cause cause) {
  const auto i = static_cast<std::size_t>(cause);
  const auto first = static_cast<std::size_t>(Cause::overlap_off);
  return std::string(i < first ? kCauseMeanings[i] : kOverlapTable[i - first].what);
}

std::string why_no_prefetch(const Run& run) {
  return gathers_every_micro_batch(run.strategy, run.framework)
             ? ""
             : "weights that are not gathered in every pass";
}

std::int64_t passes_of(const Run& run) {
  const PipelineShape shape = pipeline_shape(run);
  return 2 * shape.stages * steps_each_way(shape);
}

Simulation simulate(const Run& run, const SimulationOptions& options) {
  return Simulator(run, options).simulate();
}

}  // namespace orrery
