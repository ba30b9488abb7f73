// SPDX-License-Identifier: Apache-2.0
#include "rl/step.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/keys.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/estimate.h"
#include "estimate/rl_keys.h"
#include "estimate/training_keys.h"
#include "estimate/workspace.h"
#include "parallel/strategy_keys.h"
#include "rl/forward_pass.h"
#include "rl/resolve_learner.h"

namespace orrery {
namespace {

PhaseTime within(Seconds t, double low, double high) { return {t, t * low, t * high}; }

// A time that the run gives has no interval.
PhaseTime exactly(Seconds t) { return {t, t, t}; }

// Intervals of phases that err each for itself: deviations add as squares.
PhaseTime sum_of(const std::vector<PhaseTime>& parts) {
  PhaseTime sum;
  double below = 0;
  double above = 0;
  for (const PhaseTime& p : parts) {
    sum.value += p.value;
    below += std::pow((p.value - p.low).si(), 2);
    above += std::pow((p.high - p.value).si(), 2);
  }
  sum.low = sum.value - Seconds(std::sqrt(below));
  sum.high = sum.value + Seconds(std::sqrt(above));
  return sum;
}

class StepMaker {
 public:
  StepMaker(const Run& run, const RlRun& rl, const StepParts& parts)
      : run_(run), rl_(rl), times_(parts.times) {
    out_.update = parts.update;
    out_.rollout = parts.rollout;
  }

  RlStep make() {
    fill_phases();
    fill_step();
    out_.memory = memory_of(run_, rl_, out_.update, out_.rollout);
    fill_fit();
    out_.samples = static_cast<double>(rl_.samples);
    out_.tokens =
        out_.samples * (static_cast<double>(rl_.work.prompt_length) + mean_of(rl_.work.lengths));
    return out_;
  }

 private:
  PhaseTime of_learner(Seconds t) const {
    const Answer& u = out_.update;
    return within(t, u.interval_low / u.step_time, u.interval_high / u.step_time);
  }

  // A phase errs as generator, learner or hand-over do.
  PhaseTime with_interval(RlPhase p, Seconds t) const {
    const EngineSpread& spread = rl_.generator.engine.spread;
    switch (p) {
      case RlPhase::generate:
        return within(t, spread.low, spread.high);
      case RlPhase::reward:
        return sum_of({exactly(rl_.reward_time), of_learner(t - rl_.reward_time)});
      case RlPhase::old_log_probs:
      case RlPhase::reference:
      case RlPhase::values:
      case RlPhase::update:
        return of_learner(t);
      case RlPhase::handover:
      case RlPhase::sleep:
      case RlPhase::wake:
        return within(t, spread.handover_low, spread.handover_high);
    }
    return {};
  }

  void fill_phases() {
    seconds_ =
        phase_seconds(run_, rl_, generation_time(rl_, out_.rollout), times_, out_.update.memory);
    for (const RlPhase p : kAllOf<RlPhase>) {
      if (seconds_[p] > Seconds()) out_.phases[p] = with_interval(p, seconds_[p]);
    }
  }

  std::vector<PhaseTime> learner_phases() {
    RlStep& o = out_;
    return {o.phases[RlPhase::old_log_probs], o.phases[RlPhase::reference],
            o.phases[RlPhase::values], o.phases[RlPhase::update]};
  }

  void fill_step() {
    RlStep& o = out_;
    o.step = sum_of({o.phases.begin(), o.phases.end()});
    if (rl_.placement.kind == PlacementKind::colocated || !rl_.generates) return;
    const PhaseTime generator = sum_of({o.phases[RlPhase::generate], o.phases[RlPhase::reward]});
    const PhaseTime learner = sum_of(learner_phases());
    const PhaseTime handover = o.phases[RlPhase::handover];
    const auto period = [&](Seconds g, Seconds l, Seconds h) {
      return play_queue({g, l, h}, rl_.placement.staleness);
    };
    o.queue = play_queue(queue_times(seconds_), rl_.placement.staleness);
    if (rl_.placement.kind == PlacementKind::split) return;
    o.step = {o.queue.period, period(generator.low, learner.low, handover.low).period,
              period(generator.high, learner.high, handover.high).period};
  }

  void fill_fit() {
    RlStep& o = out_;
    o.fits = !rl_.generates || o.rollout.fits;
    if (!o.fits) {
      o.reasons.push_back("generate: the cache of an engine holds " +
                          grouped(std::floor(o.rollout.pool.tokens)) + " tokens (" +
                          gib_text(larger(Bytes(), o.rollout.pool.cache), 1) +
                          "), and the longest answer has " +
                          grouped(rl_.work.prompt_length + o.rollout.longest) + " with its prompt");
    }
    for (const RlMoment moment : kAllOf<RlMoment>) {
      const MomentMemory& m = o.memory[moment];
      if (m.fits()) continue;
      o.fits = false;
      o.reasons.push_back(std::string(name_of(moment)) + ": " + gib_text(m.all(), 1) + " of " +
                          gib_text(m.capacity, 1) + " on the fullest GPU");
    }
    if (o.update.reason == Reason::host_memory) {
      o.fits = false;
      o.reasons.push_back("update: host memory, " + gib_text(o.update.host_needed, 1) + " of " +
                          gib_text(o.update.host_capacity, 1) + " of a node");
    }
  }

  const Run& run_;
  const RlRun& rl_;
  const LearnerTimes& times_;
  PhaseSeconds seconds_{};
  RlStep out_;
};

RlStep played_step(const Run& run, const RlRun& rl) {
  Workspace workspace;
  Workspace scratch;
  StepParts parts;
  parts.update = estimate(run, workspace);
  if (rl.generates) parts.rollout = play_rollout(rl.generator, rl.work);
  parts.times = learner_times(run, rl, parts.update, workspace, scratch);
  return step_of(run, rl, parts);
}

// --- the nearest change that fits

struct Change {
  Setting setting;
  RlRun rl;
  Run learner;
};

template <auto Member, class Set>
void offer(const RlRun& rl, const std::string& value, const Set& set, std::vector<Change>& out) {
  Change c{{key_path<Member>, value}, rl, {}};
  set(c.rl);
  out.push_back(std::move(c));
}

// Micro batches of a half, a quarter and so on, of the same batch.
void offer_micro_batches(const RlRun& rl, const Run& learner, std::vector<Change>& out) {
  Run smaller = learner;
  while (smaller.strategy.micro_batch % 2 == 0) {
    smaller.strategy.micro_batch /= 2;
    smaller.strategy.micro_batches *= 2;
    out.push_back(
        {{key_path<&TrainingRequest::micro_batch>, std::to_string(smaller.strategy.micro_batch)},
         rl,
         smaller});
  }
}

std::vector<Change> changes_of(const RlRun& rl, const Run& learner, const RlStep& step) {
  std::vector<Change> out;
  using P = PlacementRequest;
  const bool colocated = rl.placement.kind == PlacementKind::colocated;
  const double share = share_beside(step.memory[RlMoment::generate], step.rollout);
  if (rl.generates && share > 0 && share < rl.work.share) {
    offer<&RolloutRequest::memory_share>(
        rl, significant(share, 2), [&](RlRun& r) { r.work.share = share; }, out);
  }
  if (!rl.chunked_log_probs) {
    offer<&RlRequest::chunked_log_probs>(
        rl, "true", [](RlRun& r) { r.chunked_log_probs = true; }, out);
  }
  if (colocated && !rl.placement.staged_wake) {
    offer<&P::staged_wake>(
        rl, "true", [](RlRun& r) { r.placement.staged_wake = true; }, out);
  }
  if (colocated && rl.placement.sleep_level == 0) {
    offer<&P::sleep_level>(
        rl, "2", [](RlRun& r) { r.placement.sleep_level = 2; }, out);
  }
  if (rl.reference && !rl.placement.offload_reference) {
    offer<&P::offload_reference>(
        rl, "true", [](RlRun& r) { r.placement.offload_reference = true; }, out);
  }
  if (colocated && !rl.placement.offload_optimizer) {
    offer<&P::offload_optimizer>(
        rl, "true", [](RlRun& r) { r.placement.offload_optimizer = true; }, out);
  }
  if (colocated && !rl.placement.offload_weights) {
    offer<&P::offload_weights>(
        rl, "true", [](RlRun& r) { r.placement.offload_weights = true; }, out);
  }
  // Experts that are apart follow tp, which one key does not say.
  const EngineLayout& engine = rl.generator.layout;
  const std::int64_t tp = engine.tp * 2;
  const bool doubles = rl.work.engines % 2 == 0 && rl.generator.model.heads % tp == 0;
  if (rl.generates && engine.ep == 1 && doubles) {
    offer<&RolloutRequest::tp>(
        rl, std::to_string(tp),
        [&](RlRun& r) {
          r.generator.layout.tp = tp;
          r.work.engines /= 2;
        },
        out);
  }
  for (Change& c : out) c.learner = learner;
  if (!step.memory[RlMoment::update].fits()) offer_micro_batches(rl, learner, out);
  return out;
}

bool fits_with(const Change& c) { return played_step(c.learner, c.rl).fits; }

// One change, or else two.
std::vector<Setting> remedy_of(const ResolvedRun& learner, const RlStep& step) {
  const std::vector<Change> all = changes_of(*learner.rl, learner.run, step);
  for (const Change& c : all) {
    if (fits_with(c)) return {c.setting};
  }
  for (const Change& first : all) {
    for (const Change& second : changes_of(first.rl, first.learner, step)) {
      if (!fits_with(second)) continue;
      if (second.setting.path == first.setting.path) return {second.setting};
      return {first.setting, second.setting};
    }
  }
  return {};
}

}  // namespace

RlStep step_of(const Run& learner, const RlRun& rl, const StepParts& parts) {
  return StepMaker(learner, rl, parts).make();
}

RlStep rl_step_alone(const ResolvedRun& learner) { return played_step(learner.run, *learner.rl); }

RlStep rl_step(const ResolvedRun& learner) {
  RlStep step = rl_step_alone(learner);
  if (step.fits) return step;
  step.remedy = remedy_of(learner, step);
  // Open, it would be chosen again for other micro batches, so that the learner alone fits.
  constexpr const char* kMicroBatch = key_path<&TrainingRequest::micro_batch>;
  const bool changes_learner = std::any_of(step.remedy.begin(), step.remedy.end(),
                                           [](const Setting& s) { return s.path == kMicroBatch; });
  if (learner.recompute_open && changes_learner) {
    step.remedy.push_back({key_path<&StrategyRequest::recompute>,
                           std::string(name_of(learner.run.strategy.recompute))});
  }
  return step;
}

}  // namespace orrery
