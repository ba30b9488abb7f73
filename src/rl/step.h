// SPDX-License-Identifier: Apache-2.0
//
// The step of reinforcement learning: generate → score → log-probabilities → learn → hand over.
//
// Colocated, the phases follow each other, with the time in which generator and learner yield the
// device to each other. On GPUs of their own, generator and learner are a queue (queue.h): in step
// (split) or with answers of older weights (async), where the longer of the two sets the period.
// With partial answers no step waits for the longest: the generator's rate is that of full batches.
// Forward-only phases are the learner's forward pass (forward_pass.h); the update is its training
// step (estimate.h), mini batches × epochs times. A critic or a reward model is as large as the
// policy and split alike. Leaves out: generation that overlaps scoring, growth of the answers over
// the training, time that no phase names (colocated phases add up to 81 to 100 % of published
// steps). Units: SI. Errors: none; what does not fit is an answer.
#pragma once

#include <string>
#include <vector>

#include "core/enum_names.h"
#include "core/fact.h"
#include "rl/phase_memory.h"
#include "rl/phase_times.h"

namespace orrery {

struct PhaseTime {
  Seconds value{};
  Seconds low{};  // of the 80 % interval
  Seconds high{};
};

struct RlStep {
  EnumArray<RlPhase, PhaseTime> phases{};
  PhaseTime step{};
  QueuePeriod queue;  // of generator and learner on GPUs of their own
  Rollout rollout;
  RlMemory memory;
  Answer update;  // one update of the learner, with full packs
  bool fits = false;
  std::vector<std::string> reasons;  // a line each; none where it fits
  std::vector<Setting> remedy;       // the nearest change that fits; none: no small one does
  double tokens = 0;                 // prompts and answers that the step learns from
  double samples = 0;
};

// The parts of a step: one update of the learner with full packs, the times of those it has, and
// the answers.
struct StepParts {
  Answer update;
  Rollout rollout;
  LearnerTimes times;
};

// The step of these parts: of an estimate, which makes them anew, and of a search, which has them.
RlStep step_of(const Run& learner, const RlRun& rl, const StepParts& parts);

// `learner` holds an RlRun.
RlStep rl_step(const ResolvedRun& learner);

// The same without a look for what would fit.
RlStep rl_step_alone(const ResolvedRun& learner);

}  // namespace orrery
