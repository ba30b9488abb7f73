// SPDX-License-Identifier: Apache-2.0
#include "rl/phase_times.h"

#include "rl/forward_pass.h"
#include "rl/handover.h"

namespace orrery {

LearnerTimes learner_times(const Run& learner, const RlRun& rl, const Answer& update,
                           Workspace& w) {
  LearnerTimes out;
  out.update = update.step_time;
  out.forward = forward_pass(learner, w);
  out.reference = out.forward;
  if (rl.teacher && rl.reference) out.reference = teacher_pass(learner, *rl.teacher, w);
  return out;
}

Seconds generation_time(const RlRun& rl, const Rollout& rollout) {
  if (!rl.generates) return {};
  return rl.placement.partial ? rollout.steady : rollout.slowest.all;
}

PhaseSeconds phase_seconds(const RlRun& rl, Seconds generation, const LearnerTimes& learner,
                           const StageMemory<double>& memory) {
  PhaseSeconds out{};
  const Seconds forward = learner.forward * static_cast<double>(rl.mini_batches);
  out[RlPhase::generate] = generation;
  out[RlPhase::reward] = rl.reward_time;
  if (rl.reward == RewardKind::model) out[RlPhase::reward] += forward;
  if (rl.old_log_probs) out[RlPhase::old_log_probs] = forward;
  if (rl.reference) {
    out[RlPhase::reference] = learner.reference * static_cast<double>(rl.mini_batches);
  }
  if (rl.critic) out[RlPhase::values] = forward;
  out[RlPhase::update] = learner.update * (updates_of_step(rl) * models_that_learn(rl));
  out[RlPhase::handover] = handover_time(rl);
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
