// SPDX-License-Identifier: Apache-2.0
#include "sim/critical.h"

#include <algorithm>

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
    const std::size_t stage = ends();
    passes(stage);
    std::reverse(items_.begin(), items_.end());
    return items_;
  }

 private:
  void add(LinkOfChain kind, std::int64_t stage, double time) {
    if (!(time > 0)) return;
    for (ChainItem& item : items_) {
      if (item.kind != kind || item.stage != stage) continue;
      ++item.count;
      item.time += Seconds(time);
      return;
    }
    items_.push_back({kind, stage, 1, Seconds(time)});
  }

  // From the end back to the stage whose passes are on the chain.
  std::size_t ends() {
    const std::vector<StageTimes>& t = times_.stages;
    const std::size_t p = plan_.stages.size();
    const auto later = [](double StageTimes::*of) {
      return [of](const StageTimes& a, const StageTimes& b) { return a.*of < b.*of; };
    };
    const auto stage_of = [&](auto at) { return static_cast<std::size_t>(at - t.begin()) % p; };
    add(LinkOfChain::overhead, -1, plan_.overhead.si());
    const auto last = std::max_element(t.begin(), t.end(), later(&StageTimes::end));
    const auto at = static_cast<std::int64_t>(stage_of(last));
    add(LinkOfChain::gather_after, at, last->end - last->updated);
    const auto joined = std::max_element(t.begin(), t.end(), later(&StageTimes::joined));
    add(LinkOfChain::update, at, last->updated - joined->joined);
    std::size_t stage = stage_of(joined);
    double until = joined->joined;
    if (plan_.tied > Seconds() && (stage == 0 || stage + 1 == p)) {
      add(LinkOfChain::embedding, -1, plan_.tied.si());
      until -= plan_.tied.si();
      stage = t[0].reduced >= t[p - 1].reduced ? 0 : p - 1;
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
    const double begin = times_.pass_begin[n];
    add(forward ? LinkOfChain::forward : LinkOfChain::backward, node.stage,
        times_.pass_end[n] - begin);
    const std::int32_t own = before_[n];
    const double free = own < 0 ? times_.stages[node.stage].gathered
                                : times_.pass_end[static_cast<std::size_t>(own)];
    for (const std::int32_t r : node.needs) {
      if (r < 0 || !(begin > free) || times_.arrival[static_cast<std::size_t>(r)] < begin) continue;
      const auto from = static_cast<std::size_t>(r / 2);
      add(r % 2 == 0 ? LinkOfChain::send_forward : LinkOfChain::send_backward,
          graph_.nodes[from].stage, begin - times_.pass_end[from]);
      return r / 2;
    }
    if (own < 0) {
      add(LinkOfChain::gather, node.stage, free);
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
};

void shorten(Seconds& t, double by) { t = t * (1 - by); }

void shorten_term(StepPlan& plan, Term term, double by) {
  const auto i = static_cast<std::size_t>(term);
  for (PassPlan& p : plan.passes) {
    p.forward -= p.forward_terms[i] * by;
    p.backward -= p.backward_terms[i] * by;
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
    case Shortened::embedding:
      return shorten(plan.tied, by);
    case Shortened::overhead:
      return shorten(plan.overhead, by);
  }
}

}  // namespace

std::vector<ChainItem> critical_chain(const StepPlan& plan, const PassGraph& graph,
                                      const StepClock& times) {
  return Walk(plan, graph, times).walk();
}

std::vector<Gain> gains(const StepPlan& plan, const PassGraph& graph, const Effects& effects) {
  StepClock times;
  sweep_step(plan, graph, effects, Keep::stages, times);
  const double now = times.step;
  const auto without = [&](Shortened what, double by) {
    StepPlan other = plan;
    shorten(other, what, by);
    sweep_step(other, graph, effects, Keep::stages, times);
    return Seconds(std::max(0.0, now - times.step));
  };
  std::vector<Gain> found;
  for (std::size_t i = 0; i < kShortenedNames.size(); ++i) {
    const auto what = static_cast<Shortened>(i);
    const Gain g{what, without(what, 0.1), without(what, 1)};
    if (g.all.si() > 1e-9 * now) found.push_back(g);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Gain& a, const Gain& b) { return a.all > b.all; });
  return found;
}

}  // namespace orrery
