// SPDX-License-Identifier: Apache-2.0
//
// A run of reinforcement learning as resolved: what its generator is, what a step generates and
// learns, and on which GPUs. The learner is the ResolvedRun that holds it. Units: SI, tokens.
// Errors: none; rl_resolve.h guarantees whole engines and lengths that cap and mass can give.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/divide.h"
#include "estimate/rl.h"
#include "generate/rollout.h"

namespace orrery {

struct RlPlacement {
  PlacementKind kind = PlacementKind::colocated;
  std::int64_t rollout_gpus = 0;  // all, where colocated
  std::int64_t staleness = 0;
  bool partial = false;
  std::int64_t sleep_level = 2;
  bool offload_weights = false;
  bool offload_optimizer = false;
  bool offload_reference = false;
  WeightTransfer transfer = WeightTransfer::broadcast;
  bool staged_wake = true;
};

struct RlRun {
  RlAlgorithm algorithm = RlAlgorithm::grpo;
  bool critic = false;
  bool reference = false;
  bool generates = true;
  bool old_log_probs = true;
  bool chunked_log_probs = false;
  RlEntropy entropy = RlEntropy::none;
  std::int64_t samples = 0;  // that a step learns from; `work` has those generated
  std::int64_t mini_batches = 1;
  std::int64_t epochs = 1;
  bool packs = false;
  double sequence_tokens = 0;          // of a prompt with its answer, in the mean
  std::int64_t longest_of_update = 0;  // tokens of the longest sequence of an update; of a step:
  std::int64_t longest_of_step = 0;
  RewardKind reward = RewardKind::rule;
  Seconds reward_time{};
  Generator generator;
  RolloutWork work;
  RlPlacement placement;
  std::int64_t all_gpus = 0;  // of learner and generator
  std::int64_t steps = 0;     // of the whole training; 0: not given
  // The model that scores in place of the policy's own frozen copy; null: that copy.
  std::shared_ptr<const Architecture> teacher;
  double teacher_size = 1;  // its parameters over the policy's
  std::string engine_name;
};

// A critic is as large as the policy and learns beside it.
inline double models_that_learn(const RlRun& rl) { return rl.critic ? 2 : 1; }

// Sequences of one update.
inline double samples_of_update(const RlRun& rl) {
  return static_cast<double>(divided_up(rl.samples, rl.mini_batches));
}

// Updates of one model in a step.
inline double updates_of_step(const RlRun& rl) {
  return static_cast<double>(rl.mini_batches * rl.epochs);
}

}  // namespace orrery
