// SPDX-License-Identifier: Apache-2.0
#include "sim/mixed_step.h"

#include <algorithm>
#include <cmath>

#include "estimate/comm_lines.h"
#include "estimate/mixed_links.h"
#include "estimate/run.h"
#include "sim/settle.h"

namespace orrery {
namespace {

constexpr double kPlayedRounding = 1e-9;

Seconds end_of(const StagePlan& s) {
  return s.gradients.exposed + s.device_update + s.host_update + s.weights.exposed;
}

class MixedPlayer {
 public:
  explicit MixedPlayer(const MixedRun& run) : run_(run) {}

  MixedSimulation play() {
    out_.closed = estimate_mixed<double>(run_, w_);
    for (std::size_t c = 0; c < run_.replicas.size(); ++c) out_.classes.push_back(planned(c));
    const Seconds alone = played({false, false, true});
    differ(Cause::stages_end_apart, out_.closed.answer.step_time, alone);
    out_.step = played({true, false, true});
    differ(Cause::contention, alone, out_.step);
    return std::move(out_);
  }

 private:
  std::size_t kind_at(std::size_t c, std::int64_t stage) const {
    return run_.replicas[c].kind_of_stage[static_cast<std::size_t>(stage)];
  }

  PlayedClass planned(std::size_t c) {
    PlayedClass p;
    const Run one = run_of_class(run_, c);
    p.plan = plan_filled(one, w_.replicas[c]);
    for (std::int64_t i = 0; i < p.plan.shape.stages; ++i) {
      p.plan.stages[static_cast<std::size_t>(i)] = slowest_stage(p.plan, i);
    }
    for (std::size_t cell = 0; cell < p.plan.sends.size(); ++cell) take_sends(c, cell, p.plan);
    take_rendezvous(c, p.plan);
    p.graph = make_graph(p.plan.schedule, p.plan.shape);
    return p;
  }

  // The kind that a stage's replicas wait for at the end of a step.
  StagePlan slowest_stage(const StepPlan& plan, std::int64_t stage) const {
    StagePlan slowest;
    const std::vector<std::size_t> kinds = kinds_of_stage(run_, stage);
    for (const std::size_t k : kinds) {
      StagePlan s = plan_stage(run_beside(run_, k, kinds), w_.kinds[k], plan, stage);
      if (k == kinds.front() || end_of(s) > end_of(slowest)) slowest = std::move(s);
    }
    return slowest;
  }

  void take_sends(std::size_t c, std::size_t cell, StepPlan& plan) const {
    const Workspace& w = w_.replicas[c];
    const auto part = part_of_cell(plan, static_cast<std::int64_t>(cell));
    const auto stage = static_cast<std::int64_t>(cell) % plan.shape.stages;
    const SendEnds ends = send_ends(plan, static_cast<std::int64_t>(cell));
    SendPlan& s = plan.sends[cell];
    const auto take = [&](std::int64_t other, Seconds time, Seconds& out, std::uint8_t& tier) {
      if (other == stage) return;
      out = time;
      const std::size_t kind = kind_at(c, stage);
      if (kind == kind_at(c, other)) return;
      tier = static_cast<std::uint8_t>(run_.kinds[kind].cluster.tier_count - 1);
    };
    if (static_cast<std::size_t>(part) < w.send_forward.size()) {
      take(ends.forward, w.send_forward[static_cast<std::size_t>(part)], s.forward, s.forward_tier);
    }
    if (part > 0) {
      take(ends.backward, w.send_backward[static_cast<std::size_t>(part - 1)], s.backward,
           s.backward_tier);
    }
  }

  void take_rendezvous(std::size_t c, StepPlan& plan) const {
    plan.rendezvous.clear();
    const std::int64_t last = plan.shape.stages - 1;
    const CollectiveCost<double> cost = tied_between<double>(run_, kind_at(c, 0), kind_at(c, last));
    if (!(cost.time > Seconds())) return;
    plan.rendezvous.push_back(
        {0, static_cast<std::size_t>(last), cost.time, cost.message,
         entry_of(CommDimension::embedding, Collective::all_reduce, cost, 2, 1, cost.time)});
  }

  // All classes, joined where their gradients meet.
  Seconds played(const Effects& effects) {
    StepClock all;
    std::vector<Seconds> begins;
    out_.events = 0;
    for (PlayedClass& c : out_.classes) {
      settle(c.plan, c.graph,
             [&](Keep keep) { return play_step(c.plan, c.graph, effects, {}, keep).times; });
      c.played = play_step(c.plan, c.graph, effects, {}, Keep::passes);
      all.stages.insert(all.stages.end(), c.played.times.stages.begin(),
                        c.played.times.stages.end());
      out_.events += c.played.events;
    }
    if (out_.classes.size() > 1) {
      finish_step(last_ended(), {}, all);
    } else {
      all.step = out_.classes.front().played.times.step;
    }
    out_.times = std::move(all);
    return out_.times.step * run_.kinds.front().framework.level.factor;
  }

  // A plan whose stages end as late as those of the slowest class.
  StepPlan last_ended() const {
    StepPlan plan = out_.classes.front().plan;
    for (const PlayedClass& c : out_.classes) {
      for (std::size_t i = 0; i < plan.stages.size(); ++i) {
        if (end_of(c.plan.stages[i]) > end_of(plan.stages[i])) plan.stages[i] = c.plan.stages[i];
      }
    }
    return plan;
  }

  void differ(Cause cause, Seconds before, Seconds now) {
    const bool rounding = std::abs((now - before).si()) <= kPlayedRounding * before.si();
    if (!rounding) out_.differences.push_back({cause, now - before});
  }

  const MixedRun& run_;
  MixedWorkspace w_;
  MixedSimulation out_;
};

}  // namespace

std::int64_t passes_of(const MixedRun& run) {
  std::int64_t passes = 0;
  for (std::size_t c = 0; c < run.replicas.size(); ++c) passes += passes_of(run_of_class(run, c));
  return passes;
}

MixedSimulation simulate_mixed(const MixedRun& run) { return MixedPlayer(run).play(); }

}  // namespace orrery
