// SPDX-License-Identifier: Apache-2.0
//
// A training by reinforcement learning as an option of a plan: its step on so many GPUs, and what
// capacity/outcome.h needs of it.
//
//   time = steps · step;  learner's and generator's GPUs are held from the first step to the last
//
// The placement is the run's own, its split in proportion to the GPUs, or is searched: for the
// least cost of a step where both kinds of GPU have a rent, else for the least time. Generating
// draws the power of memory passes, as decoding is bound by them (generate/decode.h); a group that
// waits for the other draws that of waiting. A checkpoint holds what learns: a critic as well.
// Leaves out: prompts as compute, data sets, memory of a critic in the checkpoint's layout. Units:
// SI. Errors: InputError.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "capacity/capacity.h"
#include "core/json_fwd.h"

namespace orrery {

struct RlTraining {
  std::shared_ptr<const RlStep> step;
  ResolvedRun learner;
  KeptJson document;
};

struct RlTrainingTried {
  std::optional<RlTraining> found;
  OptionStatus status = OptionStatus::fits;
  std::string reason{};  // where nothing was found
};

// `run`: a phase's, with training.rl.
RlTrainingTried rl_training(const Json& run, const std::string& file, bool searches,
                            const PriceBook& prices, std::int64_t gpus, const PlanContext& context);

// All steps of it. Errors: InputError without training.rl.steps.
PieceTime time_of_steps(const RlTraining& t, const std::string& file);

// FLOPs of its updates, by the learner's convention.
Flops flops_of_updates(const RlTraining& t);

// The activity of the learner's GPUs, colocated with those that generate, over a step.
StepLoad load_of_learner(const RlTraining& t);

// Models of the learner's size that a checkpoint holds; 1 without training.rl.
double models_in_checkpoint(const ResolvedRun& learner);

// The GPUs that generate on their own; nothing where learner and generator share them.
std::optional<HeldBeside> generators_beside(const RlTraining& t, const PriceBook& prices,
                                            std::vector<Assumption>& assumptions);

}  // namespace orrery
