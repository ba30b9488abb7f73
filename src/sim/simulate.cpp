// SPDX-License-Identifier: Apache-2.0
#include "sim/simulate.h"

#include <cmath>
#include <map>
#include <set>

#include "estimate/estimate.h"
#include "estimate/workspace.h"
#include "parallel/partition.h"
#include "sim/gpu_use.h"
#include "sim/played_answer.h"
#include "sim/settle.h"
#include "sim/slow_links.h"
#include "sim/stage_lines.h"

namespace orrery {
namespace {

constexpr double kRounding = 1e-9;

class Simulator {
  // The run on slow links.
  struct OnSlowLinks {
    Run run;
    Workspace workspace;
  };

  // One entry for each stage, or for each of its cells, on the links that the stage has.
  template <class Of>
  auto by_stage(Of&& of) const {
    auto all = of(run_, workspace_);
    for (const auto& [state, slow] : slow_) {
      const auto there = of(slow.run, slow.workspace);
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (links_[i % links_.size()] == state) all[i] = there[i];
      }
    }
    return all;
  }

 public:
  Simulator(const Run& run, const SimulationOptions& options) : run_(run), options_(options) {}

  Simulation simulate() {
    out_.closed = estimate<double>(run_, workspace_);
    if (!options_.failures.empty()) fail();
    make_plan();
    out_.graph = make_graph(out_.plan.schedule, out_.plan.shape);
    play();
    out_.passes =
        by_stage([&](const Run& run, const Workspace& w) { return pass_uses(run, w, out_.plan); });
    out_.exchanges = by_stage(
        [&](const Run& run, const Workspace& w) { return pass_exchanges(run, w, out_.plan); });
    out_.stages = stage_uses(out_.plan, out_.passes, out_.graph, times());
    out_.lines = by_stage([&](const Run& run, const Workspace& w) {
      return stage_lines(run, w, out_.plan, times());
    });
    for (std::size_t i = 0; i < undisturbed_.size(); ++i) {
      const Seconds more = time_in_passes(out_.graph, times(), i) - undisturbed_[i];
      if (more > undisturbed_[i] * kRounding) out_.stages[i].mates = more;
    }
    out_.memory = memory_curves(run_, workspace_, out_.plan, out_.graph, times());
    out_.chain = critical_chain(out_.plan, out_.graph, times());
    out_.gains = gains(out_.plan, out_.graph, options_.effects);
    out_.answer = played_answer(run_, workspace_, out_);
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
    differ(Cause::failed_parts, out_.closed.step_time,
           estimate<double>(run_, workspace_).step_time);
  }

  bool is_off(std::size_t overlap) const { return (options_.without >> overlap & 1) != 0; }

  struct Planned {
    StepPlan plan;
    std::vector<CellFetches> fetches;
  };

  // The run with the overlaps off that are turned off so far.
  Planned planned(const Run& run, Workspace& w) const {
    Planned p;
    StepPlan& plan = p.plan;
    plan = with_expert_load(run, plan_step(run, w), expert_load_);
    const std::vector<PassUse> uses = pass_uses(run, w, plan);
    for (std::size_t c = 0; c < uses.size(); ++c) {
      plan.passes[c].forward_copies = hidden(uses[c].forward[Stream::copy]);
      plan.passes[c].backward_copies = hidden(uses[c].backward[Stream::copy]);
    }
    plan.save = save_;
    if (fetching_) p.fetches = fetch_in_order(run, w, options_.prefetch, plan);
    for (std::size_t i = 0; i < kOverlaps; ++i) {
      if (off_[i] && kOverlapTable[i].undo != nullptr) kOverlapTable[i].undo(plan);
    }
    return p;
  }

  void make_plan() {
    Planned all = planned(run_, workspace_);
    for (auto& [state, slow] : slow_) {
      const Planned there = planned(slow.run, slow.workspace);
      take_slow_stages(there.plan, state, links_, all.plan);
      for (std::size_t c = 0; c < all.fetches.size(); ++c) {
        if (links_[c % links_.size()] == state) all.fetches[c] = there.fetches[c];
      }
    }
    out_.plan = std::move(all.plan);
    out_.fetches = std::move(all.fetches);
  }

  // Plans again with these links slow; false if none of them carries a message of the run.
  bool slow_down(const std::vector<Slow>& links) {
    links_ = slowness_of_links(run_, links);
    slow_.clear();
    const std::set<LinkState> distinct(links_.begin(), links_.end());
    for (const LinkState& a : distinct) {
      for (const LinkState& b : distinct) {
        const LinkState both = worse(a, b);
        if (both != LinkState{}) slow_[both].run = with_slow_links(run_, both);
      }
    }
    if (slow_.empty()) return false;
    make_plan();
    out_.played = played({}, Keep::passes);
    return true;
  }

  void turn_off(std::size_t overlap) {
    off_[overlap] = true;
    const Overlap& o = kOverlapTable[overlap];
    if (o.turn_off != nullptr) o.turn_off(run_.framework);
    make_plan();
  }

  // Switches effects on one by one, so that each has its own difference.
  void play() {
    Effects effects{false, false, true};
    Seconds before = estimate<double>(run_, workspace_).step_time;
    const auto add = [&](Cause cause) {
      const Seconds now = swept(effects).step;
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

  // Switches disturbances on one by one; each adds its own difference.
  void disturb() {
    const Disturbances& all = options_.disturbances;
    Seconds before = times().step;
    if (all.expert_load > 1) {
      expert_load_ = all.expert_load;
      make_plan();
      out_.played = played({}, Keep::passes);
      differ(Cause::expert_load, before, times().step);
      before = times().step;
    }
    Disturbances some;
    some.seed = all.seed;
    PlayedStep simulated;
    const auto add = [&](Cause cause) {
      simulated = play_replicas(some);
      differ(cause, before, simulated.times.step);
      before = simulated.times.step;
    };
    some.slow = failed_links_;
    const bool failed = slow_down(some.slow);
    if (failed) add(Cause::failed_parts);
    some.slow.insert(some.slow.end(), all.slow.begin(), all.slow.end());
    if (!all.slow.empty()) slow_down(some.slow);
    const bool later = all.spread > 0 || all.jitter > 0;
    if (!all.slow.empty() || (!failed && !later)) add(Cause::slow_parts);
    some.spread = all.spread;
    if (all.spread > 0) add(Cause::spread);
    some.jitter = all.jitter;
    if (all.jitter > 0) add(Cause::jitter);
    show_slowest(some, simulated);
  }

  PlayedStep play_replicas(const Disturbances& d) {
    replicas_ = simulated_replicas(run_, out_.plan, d, options_.every_gpu);
    return played(replicas_.speeds, Keep::stages);
  }

  // Shows the passes of the replica that is ready last.
  void show_slowest(const Disturbances& d, const PlayedStep& simulated) {
    const std::size_t p = out_.plan.stages.size();
    const std::size_t shown = last_ready(simulated.times, p);
    for (std::size_t i = 0; i < p; ++i) {
      undisturbed_.push_back(time_in_passes(out_.graph, times(), i));
    }
    out_.played = play_step(out_.plan, out_.graph, options_.effects,
                            speeds_of_class(replicas_.speeds, shown, p), Keep::passes);
    for (std::size_t i = 0; i < p; ++i) {
      out_.played.times.stages[i] = simulated.times.stages[shown * p + i];
    }
    out_.played.times.step = simulated.times.step;
    out_.played.times.last = simulated.times.last;
    out_.played.events = simulated.events;
    out_.gpus = gpu_use(run_, out_.plan, replicas_, d, shown, simulated.times.step);
  }

  void differ(Cause cause, Seconds before, Seconds now) {
    const bool rounding = std::abs((now - before).si()) <= kRounding * before.si();
    if (!rounding) out_.differences.push_back({cause, now - before});
  }

  Run run_;
  const SimulationOptions& options_;
  std::array<bool, kOverlaps> off_{};
  Save save_;
  bool fetching_ = false;
  double expert_load_ = 1;
  std::vector<Slow> failed_links_;
  std::vector<LinkState> links_;  // by stage
  std::map<LinkState, OnSlowLinks> slow_;
  Workspace workspace_;
  SimulatedReplicas replicas_;
  std::vector<Seconds> undisturbed_;  // in passes, by stage; empty where GPUs are equal
  Simulation out_;
};

}  // namespace

std::string name_of(Cause cause) {
  const auto i = static_cast<std::size_t>(cause);
  const auto first = static_cast<std::size_t>(Cause::overlap_off);
  return i < first ? std::string(kCauseNames[cause])
                   : std::string(kCauseNames[Cause::overlap_off]) +
                         std::string(kOverlapTable[i - first].name);
}

std::string meaning_of(Cause cause) {
  const auto i = static_cast<std::size_t>(cause);
  const auto first = static_cast<std::size_t>(Cause::overlap_off);
  return std::string(i < first ? kCauseMeanings[cause] : kOverlapTable[i - first].what);
}

std::string why_no_prefetch(const Run& run) {
  if (other_zero(run.strategy.layers, run.strategy.zero)) return "layers with a zero of their own";
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
