// SPDX-License-Identifier: Apache-2.0
#include "rl/phase_times.h"

#include <algorithm>

#include "core/divide.h"
#include "estimate/estimate.h"
#include "estimate/workspace.h"
#include "rl/forward_pass.h"
#include "rl/handover.h"
#include "rl/packing.h"

namespace orrery {
namespace {

double micro_batch_of(const Run& learner) {
  return static_cast<double>(learner.strategy.micro_batch);
}

double full_micro_batch(const Run& learner) {
  return static_cast<double>(learner.training.sequence) * micro_batch_of(learner);
}

double tokens_of_replica(const Run& learner, const RlRun& rl, double sequences,
                         std::int64_t longest) {
  return tokens_of_fullest_replica(sequences, rl.sequence_tokens, static_cast<double>(longest),
                                   static_cast<double>(learner.strategy.dp));
}

double scored_tokens(const Run& learner, const RlRun& rl) {
  return tokens_of_replica(learner, rl, static_cast<double>(rl.samples), rl.longest_of_step);
}

}  // namespace

std::int64_t scored_micro_batches(const Run& learner, const RlRun& rl) {
  if (rl.packs) return micro_batches_for(scored_tokens(learner, rl), full_micro_batch(learner));
  return divided_up(rl.samples, learner.strategy.dp * learner.strategy.micro_batch);
}

Run learner_of_update(const Run& learner, const RlRun& rl) {
  if (!rl.packs) return learner;
  const double tokens = tokens_of_replica(learner, rl, samples_of_update(rl), rl.longest_of_update);
  const auto packs = static_cast<double>(learner.strategy.micro_batches) * micro_batch_of(learner);
  return with_packs_of(learner, tokens / packs);
}

Run learner_of_scoring(const Run& learner, const RlRun& rl) {
  if (!rl.packs) return learner;
  const std::int64_t micro_batches = scored_micro_batches(learner, rl);
  const double packs = static_cast<double>(micro_batches) * micro_batch_of(learner);
  Run run = with_packs_of(learner, scored_tokens(learner, rl) / packs);
  // How far ranks differ follows from how many packs each has; a pipeline takes whole rounds.
  Strategy& s = run.strategy;
  s.micro_batches = std::max(s.micro_batches, rounded_up(micro_batches, s.pp));
  run.training.global_batch = s.micro_batches * s.micro_batch * s.dp;
  return run;
}

LearnerTimes learner_times(const Run& learner, const RlRun& rl, const Answer& update,
                           const Workspace& w, Workspace& scratch) {
  LearnerTimes out;
  const std::int64_t micro_batches = scored_micro_batches(learner, rl);
  if (rl.packs) {
    out.update = estimate(learner_of_update(learner, rl), scratch).step_time;
    const Run scoring = learner_of_scoring(learner, rl);
    estimate(scoring, scratch);
    out.forward = forward_pass(scoring, scratch, micro_batches);
  } else {
    out.update = update.step_time;
    out.forward = forward_pass(learner, w, micro_batches);
  }
  out.reference = out.forward;
  if (rl.teacher && rl.reference) {
    out.reference =
        teacher_pass(learner_of_scoring(learner, rl), *rl.teacher, scratch, micro_batches);
  }
  return out;
}

Seconds generation_time(const RlRun& rl, const Rollout& rollout) {
  if (!rl.generates) return {};
  return rl.placement.partial ? rollout.steady : rollout.slowest.all;
}

PhaseSeconds computing_seconds(const RlRun& rl, Seconds generation, const LearnerTimes& times) {
  PhaseSeconds out{};
  out[RlPhase::generate] = generation;
  out[RlPhase::reward] = rl.reward_time;
  if (rl.reward == RewardKind::model) out[RlPhase::reward] += times.forward;
  if (rl.old_log_probs) out[RlPhase::old_log_probs] = times.forward;
  if (rl.reference) out[RlPhase::reference] = times.reference;
  if (rl.critic) out[RlPhase::values] = times.forward;
  out[RlPhase::update] = times.update * (updates_of_step(rl) * models_that_learn(rl));
  return out;
}

PhaseSeconds phase_seconds(const Run& learner, const RlRun& rl, Seconds generation,
                           const LearnerTimes& times, const StageMemory<double>& memory) {
  PhaseSeconds out = computing_seconds(rl, generation, times);
  out[RlPhase::handover] = handover_time(learner, rl);
  out[RlPhase::sleep] = sleep_time(rl, memory);
  out[RlPhase::wake] = out[RlPhase::sleep];
  return out;
}

QueueTimes queue_times(const PhaseSeconds& p) {
  const Seconds scored = p[RlPhase::old_log_probs] + p[RlPhase::reference] + p[RlPhase::values];
  return {p[RlPhase::generate] + p[RlPhase::reward], scored + p[RlPhase::update],
          p[RlPhase::handover]};
}

Seconds step_seconds(const RlRun& rl, const PhaseSeconds& phases) {
  if (rl.generates && rl.placement.kind == PlacementKind::async) {
    return play_queue(queue_times(phases), rl.placement.staleness).period;
  }
  Seconds sum{};
  for (const Seconds t : phases) sum += t;
  return sum;
}

}  // namespace orrery
