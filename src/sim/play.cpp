// SPDX-License-Identifier: Apache-2.0
#include "sim/play.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/random.h"
#include "sim/event_queue.h"
#include "sim/links.h"

namespace orrery {

namespace {

constexpr std::uint32_t kIdBits = 29;
constexpr std::uint32_t kIdMask = (1U << kIdBits) - 1;

enum class What : std::uint32_t { pass_end, start, flow_end };

constexpr std::uint32_t event_of(What kind, std::uint32_t id) {
  return (static_cast<std::uint32_t>(kind) << kIdBits) | id;
}

enum class Purpose : std::uint8_t { send, beside, reduction };

struct FlowInfo {
  Purpose purpose = Purpose::send;
  std::uint32_t actor = 0;
  std::int32_t result = -1;
};

struct Actor {
  std::int64_t next = 0;  // place in its stage's order
  bool busy = true;
  bool passed = false;
  std::int32_t beside = 0;   // reductions that still run beside or after passes
  std::int32_t sending = 0;  // results that block it until they arrive
};

class Player {
 public:
  Player(const StepPlan& plan, const PassGraph& graph, const Effects& effects, const Speeds& speeds,
         Keep keep)
      : plan_(plan),
        graph_(graph),
        effects_(effects),
        speeds_(speeds),
        keep_(keep == Keep::passes),
        costs_(cost_table(plan, graph, effects)),
        stages_(plan.stages.size()),
        actors_(stages_ * static_cast<std::size_t>(speeds.replicas)),
        ready_(stages_, 0),
        links_(queue_, event_of(What::flow_end, 0)),
        places_(links_, stages_, actors_.size()) {
    const std::size_t nodes = graph.nodes.size() * static_cast<std::size_t>(speeds.replicas);
    arrived_.assign(2 * nodes, false);
    StepClock& t = out_.times;
    t.stages.assign(actors_.size(), {});
    if (keep_) {
      t.pass_begin.resize(nodes);
      t.pass_end.resize(nodes);
      t.arrival.resize(2 * nodes);
    }
    for (std::size_t c = 0; c < plan.passes.size(); ++c) {
      beside_.push_back(beside_backward(plan, c) > Seconds());
    }
  }

  PlayedStep play() {
    for (std::size_t a = 0; a < actors_.size(); ++a) begin(static_cast<std::uint32_t>(a));
    while (!queue_.empty()) {
      const Event e = queue_.pop();
      ++out_.events;
      handle(e);
    }
    finish_step(plan_, speeds_, out_.times);  // all reductions have ended
    out_.links = places_.uses();
    out_.rate_changes = links_.rate_changes();
    return std::move(out_);
  }

 private:
  std::size_t stage_of(std::uint32_t actor) const { return actor % stages_; }
  std::size_t cell(std::uint32_t actor, std::int32_t node) const {
    return actor / stages_ * graph_.nodes.size() + static_cast<std::size_t>(node);
  }
  std::size_t result_of(std::uint32_t actor, std::int32_t result) const {
    return actor / stages_ * 2 * graph_.nodes.size() + static_cast<std::size_t>(result);
  }

  void begin(std::uint32_t actor) {
    StageTimes& t = out_.times.stages[actor];
    t.copied = copied_at(plan_, stage_of(actor));
    t.gathered = start_of(plan_, stage_of(actor));
    queue_.push(t.gathered.si(), event_of(What::start, actor));
  }

  void handle(const Event& e) {
    const std::uint32_t id = e.what & kIdMask;
    const Seconds now(e.time);
    switch (static_cast<What>(e.what >> kIdBits)) {
      case What::start:
        actors_[id].busy = false;
        return go_on(id, now);
      case What::pass_end:
        return pass_ended(id, now);
      case What::flow_end:
        if (links_.ends(id, e)) flow_ended(id, now);
        return;
    }
  }

  // --- compute

  std::uint64_t number_of(std::uint32_t actor) const {
    return static_cast<std::uint64_t>(speeds_.first_replica) * stages_ + actor;
  }

  Seconds duration(std::uint32_t actor, std::int32_t node, Seconds now) const {
    const std::size_t slot = graph_.nodes[static_cast<std::size_t>(node)].slot;
    Seconds base = costs_.pass[slot];
    if (plan_.save.copy > Seconds()) {
      base += lost_beside_copy(plan_.save.slowdown, out_.times.stages[actor].copied, now,
                               costs_.compute[slot]);
    }
    double longer = kernel_factor(speeds_, actor) - 1;
    if (speeds_.jitter > 0) {
      // The largest of n uniform numbers is distributed as the n-th root of one.
      longer += speeds_.jitter * std::pow(uniform_number(speeds_.seed, number_of(actor),
                                                         static_cast<std::uint64_t>(node)),
                                          1 / static_cast<double>(speeds_.ranks_of_actor));
    }
    return longer == 0 ? base : base + longer * costs_.compute[slot];
  }

  void go_on(std::uint32_t actor, Seconds now) {
    Actor& a = actors_[actor];
    const std::size_t stage = stage_of(actor);
    const std::int64_t at = graph_.order_begin[stage] + a.next;
    if (a.busy) return;
    if (at == graph_.order_begin[stage + 1]) return finished(actor, now);
    const std::int32_t node = graph_.order[static_cast<std::size_t>(at)];
    const PassNode& n = graph_.nodes[static_cast<std::size_t>(node)];
    if (!is_there(actor, n.needs[0]) || !is_there(actor, n.needs[1])) return;
    a.busy = true;
    const Seconds d = duration(actor, node, now);
    if (keep_) out_.times.pass_begin[cell(actor, node)] = now;
    queue_.push((now + d).si(), event_of(What::pass_end, actor));
    const PassSlot& slot = graph_.slots[n.slot];
    if (slot.last && beside_[slot.backward_cell]) run_beside(actor, slot.backward_cell, now, d);
  }

  bool is_there(std::uint32_t actor, std::int32_t result) const {
    return result < 0 || arrived_[result_of(actor, result)];
  }

  void pass_ended(std::uint32_t actor, Seconds now) {
    Actor& a = actors_[actor];
    const std::size_t stage = stage_of(actor);
    const std::int32_t node =
        graph_.order[static_cast<std::size_t>(graph_.order_begin[stage] + a.next)];
    ++a.next;
    if (keep_) out_.times.pass_end[cell(actor, node)] = now;
    send(actor, node, true, now);
    send(actor, node, false, now);
    if (a.sending > 0) return;  // busy until they have arrived
    a.busy = false;
    go_on(actor, now);
  }

  // --- pipeline

  void send(std::uint32_t actor, std::int32_t node, bool forward, Seconds now) {
    const PassNode& n = graph_.nodes[static_cast<std::size_t>(node)];
    const std::int32_t result = 2 * node + (forward ? 0 : 1);
    const std::int32_t to = graph_.needed_by[static_cast<std::size_t>(result)];
    const Seconds time = costs_.send[2 * n.slot + (forward ? 0 : 1)];
    if (time == Seconds() || to < 0) return arrive(actor, result, now);
    const PassSlot& slot = graph_.slots[n.slot];
    const std::uint8_t tier = forward ? plan_.sends[slot.cell].forward_tier
                                      : plan_.sends[slot.backward_cell].backward_tier;
    const std::array<std::uint32_t, 2> ends = {places_.of(actor, tier, true),
                                               places_.of(actor_of(actor, to), tier, false)};
    if (!effects_.sends_overlap) ++actors_[actor].sending;
    start_flow(now, time, 1, ends, {Purpose::send, actor, result});
  }

  // The actor of a node of the same replica.
  std::uint32_t actor_of(std::uint32_t actor, std::int32_t node) const {
    return static_cast<std::uint32_t>(actor - stage_of(actor) +
                                      graph_.nodes[static_cast<std::size_t>(node)].stage);
  }

  void arrive(std::uint32_t actor, std::int32_t result, Seconds now) {
    arrived_[result_of(actor, result)] = true;
    if (keep_) out_.times.arrival[result_of(actor, result)] = now;
    const std::int32_t to = graph_.needed_by[static_cast<std::size_t>(result)];
    if (to >= 0) go_on(actor_of(actor, to), now);
  }

  // --- data parallel

  // Runs beside the pass, at the rate that ends with it.
  void run_beside(std::uint32_t actor, std::size_t c, Seconds now, Seconds pass) {
    const double alone = beside_backward(plan_, c) / pass;
    const double use = std::min(1.0, alone) * plan_.gradient_use;
    ++actors_[actor].beside;
    const std::array<std::uint32_t, 2> ends = dp_links(actor);
    start_flow(now, pass, use, ends, {Purpose::beside, actor, -1});
  }

  void finished(std::uint32_t actor, Seconds now) {
    Actor& a = actors_[actor];
    if (!a.passed) out_.times.stages[actor].finished = now;
    a.passed = true;
    if (a.beside == 0) ready(actor, now);
  }

  // All replicas of a stage reduce together, when the last of them is ready.
  void ready(std::uint32_t actor, Seconds now) {
    const std::size_t stage = stage_of(actor);
    if (++ready_[stage] < speeds_.replicas) return;
    const Seconds time = plan_.stages[stage].gradients.exposed;
    for (std::size_t a = stage; a < actors_.size(); a += stages_) {
      const auto id = static_cast<std::uint32_t>(a);
      out_.times.stages[a].reduced = now;
      if (time == Seconds()) continue;
      start_flow(now, time, plan_.gradient_use, dp_links(id), {Purpose::reduction, id, -1});
    }
  }

  std::array<std::uint32_t, 2> dp_links(std::uint32_t actor) {
    const std::uint8_t tier = plan_.stages[stage_of(actor)].tier;
    return {places_.of(actor, tier, true), places_.of(actor, tier, false)};
  }

  // --- links

  void start_flow(Seconds now, Seconds time, double use, const std::array<std::uint32_t, 2>& ends,
                  const FlowInfo& info) {
    const std::uint32_t id =
        effects_.contention ? links_.start(now, time, use, ends) : links_.start(now, time, use, {});
    if (id >= flows_.size()) flows_.resize(id + 1);
    flows_[id] = info;
  }

  void flow_ended(std::uint32_t flow, Seconds now) {
    const FlowInfo info = flows_[flow];
    links_.finish(now, flow);
    switch (info.purpose) {
      case Purpose::send:
        arrive(info.actor, info.result, now);
        if (actors_[info.actor].sending == 0 || --actors_[info.actor].sending > 0) return;
        actors_[info.actor].busy = false;
        return go_on(info.actor, now);
      case Purpose::beside:
        if (--actors_[info.actor].beside == 0 && actors_[info.actor].passed) ready(info.actor, now);
        return;
      case Purpose::reduction:
        out_.times.stages[info.actor].reduced = now;
        return;
    }
  }

  const StepPlan& plan_;
  const PassGraph& graph_;
  const Effects effects_;
  const Speeds& speeds_;
  bool keep_;
  CostTable costs_;
  std::size_t stages_;
  std::vector<Actor> actors_;
  std::vector<bool> arrived_;        // by replica and node
  std::vector<bool> beside_;         // by cell: a reduction runs beside its last backward
  std::vector<std::int64_t> ready_;  // replicas, by stage
  EventQueue queue_;
  SharedLinks links_;
  std::vector<FlowInfo> flows_;
  StageLinks places_;
  PlayedStep out_;
};

}  // namespace

PlayedStep play_step(const StepPlan& plan, const PassGraph& graph, const Effects& effects,
                     const Speeds& speeds, Keep keep) {
  return Player(plan, graph, effects, speeds, keep).play();
}

}  // namespace orrery
