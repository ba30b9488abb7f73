// SPDX-License-Identifier: Apache-2.0
#include "sim/critical.h"

#include <algorithm>
#include <utility>

#include "sim/settle.h"

namespace orrery {
namespace {

class Walk {
 public:
  Walk(const StepPlan& plan, const PassGraph& graph, const StepClock& times)
      : plan_(plan), graph_(graph), times_(times), before_(graph.nodes.size(), -1) {
    for (std::size_t i = 0; i + 1 < graph.order_begin.size(); ++i) {
      for (std::int64_t k = graph.order_begin[i] + 1; k < graph.order_begin[i + 1]; ++k) {
        before_[static_cast<std::size_t>(graph.order[static_cast<std::size_t>(k)])] =
            graph.order[static_cast<std::size_t>(k - 1)];
      }
    }
  }

  std::vector<ChainItem> walk() {
    if (!plan_.goes_on) return walk_from(last_to(&StageTimes::end));
    // A chain that ends at its own beginning is best.
    for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
      const Seconds period = times_.stages[i].end - plan_.begins[i] + plan_.overhead;
      if (period < times_.step * (1 - 1e-9)) continue;
      std::vector<ChainItem> items = walk_from(i);
      if (begun_ == i) return items;
    }
    return walk_from(longest());
  }

 private:
  std::vector<ChainItem> walk_from(std::size_t end) {
    items_.clear();
    if (waits_for_save(end)) {
      saves(end);
    } else {
      passes(ends(end));
    }
    if (plan_.goes_on && begun_ != end) add_begin(end);
    std::reverse(items_.begin(), items_.end());
    return items_;
  }

  void add_begin(std::size_t end) {
    items_.push_back({LinkOfChain::begin, static_cast<std::int64_t>(begun_), 1,
                      plan_.begins[begun_] - plan_.begins[end]});
  }

  std::size_t last_to(Seconds StageTimes::*of) const {
    const std::vector<StageTimes>& t = times_.stages;
    const auto later = [of](const StageTimes& a, const StageTimes& b) { return a.*of < b.*of; };
    return static_cast<std::size_t>(std::max_element(t.begin(), t.end(), later) - t.begin());
  }

  std::size_t longest() const {
    std::size_t found = 0;
    const auto period = [&](std::size_t i) { return times_.stages[i].end - plan_.begins[i]; };
    for (std::size_t i = 1; i < plan_.stages.size(); ++i) {
      if (period(i) > period(found)) found = i;
    }
    return found;
  }

  void add(LinkOfChain kind, std::int64_t stage, Seconds time) {
    if (!(time > Seconds())) return;
    for (ChainItem& item : items_) {
      if (item.kind != kind || item.stage != stage) continue;
      ++item.count;
      item.time += time;
      return;
    }
    items_.push_back({kind, stage, 1, time});
  }

  std::size_t last_before_update(std::size_t end) const {
    return plan_.goes_on ? end : last_to(&StageTimes::joined);
  }

  bool waits_for_save(std::size_t end) const {
    return times_.stages[end].copied > times_.stages[last_before_update(end)].joined;
  }

  // The work after the update of a stage, and the update, which waited until then.
  void updates(std::size_t end, Seconds until) {
    const StageTimes& t = times_.stages[end];
    const auto at = static_cast<std::int64_t>(end);
    add(LinkOfChain::overhead, -1, plan_.overhead);
    add(LinkOfChain::gather_after, at, t.end - t.updated);
    add(LinkOfChain::update, at, t.updated - until);
  }

  void saves(std::size_t end) {
    const Seconds copied = times_.stages[end].copied;
    updates(end, copied);
    add(LinkOfChain::save, static_cast<std::int64_t>(end), copied - plan_.begins[end]);
    begun_ = end;
  }

  // Walks from the end of a stage back to the stage whose passes are on the chain.
  std::size_t ends(std::size_t end) {
    const std::vector<StageTimes>& t = times_.stages;
    std::size_t stage = last_before_update(end);
    Seconds until = t[stage].joined;
    updates(end, until);
    for (const Rendezvous& r : plan_.rendezvous) {
      if (stage != r.first && stage != r.second) continue;
      add(LinkOfChain::shared_gradients, -1, r.time);
      until -= r.time;
      stage = t[r.first].reduced >= t[r.second].reduced ? r.first : r.second;
      break;
    }
    add(LinkOfChain::reduction, static_cast<std::int64_t>(stage), until - t[stage].finished);
    return stage;
  }

  void passes(std::size_t stage) {
    std::int32_t n = graph_.order[static_cast<std::size_t>(graph_.order_begin[stage + 1] - 1)];
    while (n >= 0) n = step_back(static_cast<std::size_t>(n));
  }

  std::int32_t step_back(std::size_t n) {
    const PassNode& node = graph_.nodes[n];
    const bool forward = has_forward(graph_.slots[node.slot].kind);
    const Seconds begin = times_.pass_begin[n];
    add(forward ? LinkOfChain::forward : LinkOfChain::backward, node.stage,
        times_.pass_end[n] - begin);
    const std::int32_t own = before_[n];
    const Seconds free = own < 0 ? times_.stages[node.stage].gathered
                                 : times_.pass_end[static_cast<std::size_t>(own)];
    for (const std::int32_t r : node.needs) {
      if (r < 0 || !(begin > free) || times_.arrival[static_cast<std::size_t>(r)] < begin) continue;
      const auto from = static_cast<std::size_t>(r / 2);
      add(r % 2 == 0 ? LinkOfChain::send_forward : LinkOfChain::send_backward,
          graph_.nodes[from].stage, begin - times_.pass_end[from]);
      return r / 2;
    }
    if (own < 0) {
      begun_ = node.stage;
      const Seconds stall = plan_.save.stall;
      add(LinkOfChain::gather, node.stage, free - plan_.begins[begun_] - stall);
      add(LinkOfChain::save, node.stage, stall);
    } else {
      add(LinkOfChain::wait, node.stage, begin - free);
    }
    return own;
  }

  const StepPlan& plan_;
  const PassGraph& graph_;
  const StepClock& times_;
  std::vector<std::int32_t> before_;  // on the same stage
  std::vector<ChainItem> items_;
  std::size_t begun_ = 0;  // the stage at the beginning of the chain
};

void shorten(Seconds& t, double by) { t = t * (1 - by); }

void shorten_term(StepPlan& plan, Term term, double by) {
  for (PassPlan& p : plan.passes) {
    p.forward -= p.forward_terms[term] * by;
    p.backward -= p.backward_terms[term] * by;
  }
}

void shorten(StepPlan& plan, Shortened what, double by) {
  switch (what) {
    case Shortened::compute:
      return shorten_term(plan, Term::compute, by);
    case Shortened::recompute:
      return shorten_term(plan, Term::recompute, by);
    case Shortened::tp:
      return shorten_term(plan, Term::tp_exposed, by);
    case Shortened::cp:
      return shorten_term(plan, Term::cp_exposed, by);
    case Shortened::ep:
      return shorten_term(plan, Term::ep_exposed, by);
    case Shortened::sharding:
      return shorten_term(plan, Term::dp_exposed, by);
    case Shortened::offload:
      for (StagePlan& s : plan.stages) shorten(s.host_update, by);
      return shorten_term(plan, Term::offload_exposed, by);
    case Shortened::sends:
      for (SendPlan& s : plan.sends) shorten(s.forward, by), shorten(s.backward, by);
      return;
    case Shortened::reduction:
      for (StagePlan& s : plan.stages) shorten(s.gradients.exposed, by);
      return;
    case Shortened::gather:
      for (StagePlan& s : plan.stages) shorten(s.weights.exposed, by);
      return;
    case Shortened::update:
      for (StagePlan& s : plan.stages) shorten(s.device_update, by);
      return;
    case Shortened::shared_gradients:
      for (Rendezvous& r : plan.rendezvous) shorten(r.time, by);
      return;
    case Shortened::overhead:
      return shorten(plan.overhead, by);
    case Shortened::checkpoint:
      return shorten(plan.save.stall, by), shorten(plan.save.copy, by);
  }
}

}  // namespace

std::vector<ChainItem> critical_chain(const StepPlan& plan, const PassGraph& graph,
                                      const StepClock& times) {
  return Walk(plan, graph, times).walk();
}

std::vector<Gain> gains(const StepPlan& plan, const PassGraph& graph, const Effects& effects) {
  StepClock times;
  const auto step_of = [&](StepPlan other) {
    settle(other, graph, [&](Keep keep) { return sweep_step(other, graph, effects, keep); });
    sweep_step(other, graph, effects, Keep::stages, times);
    return times.step;
  };
  const Seconds now = step_of(plan);
  const auto without = [&](Shortened what, double by) {
    StepPlan other = plan;
    shorten(other, what, by);
    return std::max(Seconds(), now - step_of(std::move(other)));
  };
  std::vector<Gain> found;
  for (const Shortened what : kAllOf<Shortened>) {
    const Gain g{what, without(what, 0.1), without(what, 1)};
    if (g.all > 1e-9 * now) found.push_back(g);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Gain& a, const Gain& b) { return a.all > b.all; });
  return found;
}

}  // namespace orrery
