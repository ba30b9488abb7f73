// SPDX-License-Identifier: Apache-2.0
#include "explore/rl_search.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <tuple>

#include "core/json.h"
#include "estimate/links.h"
#include "estimate/risk.h"
#include "estimate/run.h"
#include "explore/priced_runs.h"
#include "explore/space_json.h"
#include "explore/unit_walk.h"
#include "rl/forward_pass.h"
#include "rl/phase_times.h"

namespace orrery {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

auto place_of(const RlFound& f) {
  return std::make_tuple(f.choice, f.learners, f.layout, f.unit.id, f.point.number);
}

bool comes_before(const RlFound& a, const RlFound& b) {
  if (a.aim != b.aim) return a.aim < b.aim;
  if (a.step != b.step) return a.step < b.step;
  if (a.fullest != b.fullest) return a.fullest < b.fullest;
  return place_of(a) < place_of(b);
}

// The best of each layout, at most `top`; and of each placement.
class Keeper {
 public:
  Keeper(const RlSpace& space, std::size_t top) : space_(space), top_(top) {}

  // Nothing beyond this aim can be in the answer.
  double worst_of(PlacementKind kind) const {
    const double of_all = best_.size() < top_ ? kNone : best_.back().aim;
    const double of_kind = of_kind_[kind] ? of_kind_[kind]->aim : kNone;
    return std::max(of_all, of_kind);
  }

  void offer(const RlFound& f) {
    std::optional<RlFound>& kind = of_kind_[kind_of(f)];
    if (!kind || comes_before(f, *kind)) kind = f;
    const auto same = std::find_if(best_.begin(), best_.end(),
                                   [&](const RlFound& b) { return key_of(b) == key_of(f); });
    if (same != best_.end()) {
      if (!comes_before(f, *same)) return;
      best_.erase(same);
    }
    best_.insert(std::upper_bound(best_.begin(), best_.end(), f, comes_before), f);
    if (best_.size() > top_) best_.pop_back();
  }

  void join(const Keeper& other) {
    for (const RlFound& f : other.best_) offer(f);
    for (const auto& f : other.of_kind_) {
      if (f) offer(*f);
    }
  }

  void hand_over(RlSearchAnswer& out) {
    out.best = std::move(best_);
    out.of_kind = of_kind_;
  }

 private:
  PlacementKind kind_of(const RlFound& f) const {
    return space_.choices[f.choice].rl.placement.kind;
  }
  std::array<std::int64_t, 11> key_of(const RlFound& f) const {
    const RlRun& rl = space_.choices[f.choice].rl;
    const EngineLayout& l = rl.generator.layout;
    return {static_cast<std::int64_t>(rl.placement.kind),
            rl.placement.rollout_gpus,
            l.tp,
            l.pp,
            l.ep,
            l.dp,
            f.unit.tp,
            f.unit.cp,
            f.unit.pp,
            f.unit.ep,
            f.unit.etp};
  }

  const RlSpace& space_;
  std::size_t top_;
  std::vector<RlFound> best_;
  EnumArray<PlacementKind, std::optional<RlFound>> of_kind_{};
};

// One worker: candidates of the learner, and for each the choices that may be in the answer.
class RlWorker {
 public:
  RlWorker(const RlSpace& space, std::size_t top, const RlSearchAims& aims)
      : space_(space), keeper_(space, top), aims_(aims) {}

  void take(std::size_t learners, std::size_t layout) {
    found_.learners = learners;
    found_.layout = layout;
    learners_ = &space_.learners[learners];
    const Space& s = learners_->layouts[layout];
    PricedRuns runs(s);
    for (const Unit& unit : units_of(s)) walk(s, unit, runs);
  }

  Keeper& keeper() { return keeper_; }
  const std::array<std::int64_t, kRules + 1>& rejected() const { return rejected_; }
  std::int64_t candidates() const { return candidates_; }
  std::int64_t placements() const { return placements_; }

 private:
  void walk(const Space& s, const Unit& unit, PricedRuns& runs) {
    found_.unit = unit;
    runs.start(unit);
    const UnitWalk cells(s, unit);
    cells.cells([&](const SearchCell& cell) {
      for_each_point(cell, [&](const Point& p) {
        ++candidates_;
        runs.set(p);
        const RuleId broken = broken_rule(runs);
        ++rejected_[static_cast<std::size_t>(broken)];
        if (broken == RuleId::none) judge(p, runs);
      });
    });
  }

  static RuleId broken_rule(const PricedRuns& runs) {
    for (const RulePart part : {RulePart::degrees, RulePart::sharding, RulePart::recompute}) {
      const RuleId broken = runs.broken_rule(part);
      if (broken != RuleId::none) return broken;
    }
    return RuleId::none;
  }

  // Every placement's learner takes the same time, but for what yields the device.
  void judge(const Point& p, PricedRuns& runs) {
    for (const auto& of_kind : learners_->choices) placements_ += std::ssize(of_kind);
    runs.fill_prices(p);
    runs.fill_parts(p);
    Run& run = runs.run();
    answer_memory(run, runs.workspace(), answer_);
    if (answer_.reason != Reason::fits) return;
    runs.fill_costs();
    const Seconds least =
        run.framework.level.factor * (runs.least_pipeline() + run.framework.host.step_overhead);
    const RlRun& rl = space_.choices[any_choice()].rl;  // the learner's part is that of all
    if (!may_count({least * least_share(run, rl), Seconds(), Seconds()})) return;
    answer_ = finish(run, runs.workspace());
    const LearnerTimes times = learner_times(run, rl, answer_, runs.workspace(), scratch_);
    found_.point = p;
    found_.strategy = run.strategy;
    for (const auto& of_kind : learners_->choices) combine(of_kind, times, run);
  }

  // The least share of the time with full packs: no part grows faster than the square of tokens.
  static double least_share(const Run& run, const RlRun& rl) {
    const auto held = static_cast<double>(learner_of_update(run, rl).training.sequence);
    const double share = held / static_cast<double>(run.training.sequence);
    return share * share;
  }

  std::size_t any_choice() const {
    for (const auto& of_kind : learners_->choices) {
      if (!of_kind.empty()) return of_kind.front();
    }
    return 0;
  }

  bool may_count(const LearnerTimes& times) const {
    return std::any_of(learners_->choices.begin(), learners_->choices.end(),
                       [&](const auto& of_kind) {
                         return !of_kind.empty() && !is_too_long(of_kind.front(), times);
                       });
  }

  // The step with nothing but generation and the learner's own phases, as if no memory moved.
  Seconds least_step(const RlChoice& c, const LearnerTimes& times) const {
    const PhaseSeconds phases = computing_seconds(c.rl, c.generate, times);
    if (c.rl.placement.kind != PlacementKind::async) return step_seconds(c.rl, phases);
    const QueueTimes q = queue_times(phases);
    return std::max(q.generate, q.learn);
  }

  bool is_too_long(std::size_t choice, const LearnerTimes& times) const {
    const RlChoice& c = space_.choices[choice];
    const Seconds least = least_step(c, times) * (1 - kBoundRounding);
    return aim_of(c.rl, least) > keeper_.worst_of(c.rl.placement.kind);
  }

  double aim_of(const RlRun& rl, Seconds step) const {
    return aims_.rents ? cost_of_step(rl, step, *aims_.rents).amount() : step.si();
  }

  bool admits(const RlChoice& c, const LearnerTimes& times, const Run& run) const {
    if (!aims_.admits) return true;
    const StepParts parts{answer_, space_.rollouts[c.rollout], times};
    return aims_.admits(c.rl, run.strategy, step_of(run, c.rl, parts));
  }

  void combine(const std::vector<std::size_t>& choices, const LearnerTimes& times, const Run& run) {
    for (const std::size_t choice : choices) {
      if (is_too_long(choice, times)) return;  // and so are those that follow
      const RlChoice& c = space_.choices[choice];
      const PhaseSeconds phases = phase_seconds(run, c.rl, c.generate, times, answer_.memory);
      found_.step = step_seconds(c.rl, phases);
      found_.aim = aim_of(c.rl, found_.step);
      if (found_.aim > keeper_.worst_of(c.rl.placement.kind)) continue;
      const RlMemory memory = memory_of(run, c.rl, answer_, space_.rollouts[c.rollout]);
      if (!fits_surely(run, memory) || !admits(c, times, run)) continue;
      found_.fullest = fullest_share(memory);
      found_.choice = choice;
      keeper_.offer(found_);
    }
  }

  const RlSpace& space_;
  Keeper keeper_;
  const RlSearchAims& aims_;
  const RlLearners* learners_ = nullptr;
  RlFound found_;
  Answer answer_;
  Workspace scratch_;  // of packs that are not full, and of a teacher
  std::array<std::int64_t, kRules + 1> rejected_{};
  std::int64_t candidates_ = 0;
  std::int64_t placements_ = 0;
};

std::vector<std::pair<std::size_t, std::size_t>> work_items(const RlSpace& space) {
  std::vector<std::pair<std::size_t, std::size_t>> items;
  for (std::size_t l = 0; l < space.learners.size(); ++l) {
    for (std::size_t i = 0; i < space.learners[l].layouts.size(); ++i) items.emplace_back(l, i);
  }
  return items;
}

void add(const RlWorker& from, RlSearchAnswer& to) {
  to.learner_candidates += from.candidates();
  to.placements += from.placements();
  for (std::size_t i = 0; i <= kRules; ++i) to.rejected[i] += from.rejected()[i];
}

}  // namespace

bool fits_surely(const Run& learner, const RlMemory& memory) {
  return std::all_of(memory.begin(), memory.end(), [&](const MomentMemory& m) {
    return !m.happens || m.engine + m.predicted() / learner.memory_risk.share <= m.capacity;
  });
}

double fit_probability(const Run& learner, const RlMemory& memory) {
  double least = 1;
  for (const MomentMemory& m : memory) {
    if (!m.happens) continue;
    const Bytes left = larger(Bytes(), m.capacity - m.engine);
    const double p = fit_probability(learner.memory_risk.spread, m.predicted(), left);
    least = std::min(least, p);
  }
  return least;
}

RlSearchAnswer rl_search(const RlSpace& space, const SearchOptions& options,
                         const RlSearchAims& aims) {
  const auto items = work_items(space);
  std::vector<RlWorker> workers(std::max(1U, options.workers), RlWorker(space, options.top, aims));
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stopped{false};
  const auto work = [&](unsigned n) {
    for (std::size_t i = next++; i < items.size() && !stopped; i = next++) {
      workers[n].take(items[i].first, items[i].second);
      if (options.stopped && options.stopped()) stopped = true;
    }
  };
  options.parallel&& workers.size() > 1 ? options.parallel(work) : work(0);
  RlSearchAnswer out;
  Keeper all(space, options.top);
  for (RlWorker& w : workers) {
    all.join(w.keeper());
    add(w, out);
  }
  all.hand_over(out);
  out.is_stopped = stopped;
  return out;
}

Json with_found(const Json& run, const RlSpace& space, const RlFound& found) {
  const Space& layout = space.learners[found.learners].layouts[found.layout];
  return with_strategy(with_choice(run, space.choices[found.choice]), layout, 0, found.strategy);
}

}  // namespace orrery
