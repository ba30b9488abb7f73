// SPDX-License-Identifier: Apache-2.0
//
// The phases of a step of reinforcement learning, and the step that they make: one formula for an
// estimate, a search and a played step.
//
// Colocated, the phases follow each other. On GPUs of their own, generator and learner take turns
// (split), or are a queue (async; queue.h). Forward-only phases are the learner's forward pass over
// all sequences of the step, once; the update is its step, mini batches × epochs times, twice with
// a critic. Packs count by the tokens they hold (packing.h).
// Leaves out and units: as step.h. Errors: none.
#pragma once

#include "core/enum_names.h"
#include "estimate/answer.h"
#include "estimate/forward.h"
#include "estimate/rl_run.h"
#include "rl/queue.h"

namespace orrery {

enum class RlPhase : std::uint8_t {
  generate,
  reward,
  old_log_probs,
  reference,
  values,  // of the critic
  update,
  handover,
  sleep,  // the device goes from learner to generator
  wake,   // and back
};
constexpr EnumNames<RlPhase> names_of(RlPhase) {
  return {"generate", "reward",   "old_log_probs", "reference", "values",
          "update",   "handover", "sleep",         "wake"};
}

using PhaseSeconds = EnumArray<RlPhase, Seconds>;

struct LearnerTimes {
  Seconds update{};     // one of a step
  Seconds forward{};    // over all sequences of a step
  Seconds reference{};  // the same of the frozen model
};

// The learner as one update has it, and as a scoring pass over the step does: with their packs.
Run learner_of_update(const Run& learner, const RlRun& rl);
Run learner_of_scoring(const Run& learner, const RlRun& rl);
std::int64_t scored_micro_batches(const Run& learner, const RlRun& rl);

// After an estimate of the learner in `w`; `scratch` is used up.
LearnerTimes learner_times(const Run& learner, const RlRun& rl, const Answer& update,
                           const Workspace& w, Workspace& scratch);

// The answers of a step: with partial answers at the rate of full batches.
Seconds generation_time(const RlRun& rl, const Rollout& rollout);

// All but the moves of weights and states.
PhaseSeconds computing_seconds(const RlRun& rl, Seconds generation, const LearnerTimes& times);

PhaseSeconds phase_seconds(const Run& learner, const RlRun& rl, Seconds generation,
                           const LearnerTimes& times, const StageMemory<double>& memory);

// Generator and learner on GPUs of their own, one update after the other.
QueueTimes queue_times(const PhaseSeconds& phases);

Seconds step_seconds(const RlRun& rl, const PhaseSeconds& phases);

}  // namespace orrery
