// SPDX-License-Identifier: Apache-2.0
//
// The objects of a run of reinforcement learning beside its training: `training.rl`, `rollout` and
// `placement` of a run file, as written. estimate/rl_resolve.h takes their defaults.
//
// Units: tokens, sequences, seconds. Errors: none; rl_keys.h's tables refuse.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/enum_names.h"
#include "core/json_fwd.h"
#include "core/precision.h"
#include "generate/lengths.h"
#include "orrery/quantity.h"

namespace orrery {

enum class RlAlgorithm : std::uint8_t { ppo, grpo, dapo, reinforce, rloo, dpo, reward, distill };
constexpr EnumNames<RlAlgorithm> names_of(RlAlgorithm) {
  return {"ppo", "grpo", "dapo", "reinforce", "rloo", "dpo", "reward", "distill"};
}

// Parts of an algorithm, where the run does not say.
struct RlFacts {
  bool critic = false;     // a second model that learns
  bool reference = false;  // a frozen copy that scores (a KL term)
  bool generates = true;
  bool compares = false;  // answers of one prompt with each other: a group of two or more
  bool ratio = true;      // of new to old probabilities, which a pass before the update gives
  bool teacher = false;   // the frozen model is another one
};
// ppo, reinforce: KL in the reward (OpenRLHF's and verl's defaults); grpo, rloo: KL in the loss
// (arXiv:2402.03300, TRL's RLOO); dapo drops it (arXiv:2503.14476, section 2.3); dpo: the frozen
// model is in its loss (arXiv:2305.18290); reward: a model of pairs learns alone (arXiv:2203.02155,
// section 3.5); distill: answers of the student, scored by a frozen teacher (arXiv:2306.13649).
inline constexpr EnumArray<RlAlgorithm, RlFacts> kRlFacts = {
    RlFacts{.critic = true, .reference = true},
    RlFacts{.reference = true, .compares = true},
    RlFacts{.compares = true},
    RlFacts{.reference = true},
    RlFacts{.reference = true, .compares = true},
    RlFacts{.reference = true, .generates = false, .ratio = false},
    RlFacts{.generates = false, .ratio = false},
    RlFacts{.reference = true, .ratio = false, .teacher = true}};

enum class RewardKind : std::uint8_t { rule, model };
constexpr EnumNames<RewardKind> names_of(RewardKind) { return {"rule", "model"}; }

struct ResponseRequest {
  std::optional<double> mean;
  std::optional<LengthShape> distribution;
  std::optional<double> spread;
  std::optional<std::int64_t> cap;
  std::optional<double> at_cap;
  std::optional<std::vector<std::int64_t>> lengths;
};

struct AgentRequest {
  std::int64_t turns = 1;
  std::optional<Seconds> tool;
  std::optional<double> tool_spread;
  std::optional<double> hung;
  std::optional<Seconds> timeout;
};

struct RewardRequest {
  std::optional<RewardKind> kind;
  std::optional<Seconds> time;
};

// Where the entropy of the policy is computed, over all of the vocabulary: in the scoring pass
// before the update, or in the loss as well.
enum class RlEntropy : std::uint8_t { none, scored, learned };
constexpr EnumNames<RlEntropy> names_of(RlEntropy) { return {"none", "scored", "learned"}; }

struct RlRequest {
  RlAlgorithm algorithm = RlAlgorithm::grpo;
  std::optional<std::int64_t> prompts;
  std::optional<std::int64_t> group;
  std::optional<std::int64_t> prompt_length;
  std::optional<ResponseRequest> response;
  std::optional<AgentRequest> agent;
  std::optional<RewardRequest> reward;
  std::optional<bool> reference;
  std::optional<bool> old_log_probs;
  std::optional<bool> chunked_log_probs;
  std::optional<RlEntropy> entropy;
  std::optional<std::int64_t> mini_batches;
  std::optional<std::int64_t> epochs;
  std::optional<double> dropped;
  std::optional<std::int64_t> packed_tokens;
  GivenJson teacher;
  std::optional<std::int64_t> steps;
};

struct RolloutRequest {
  GivenJson engine;
  GivenJson node;
  std::optional<std::int64_t> tp;
  std::optional<std::int64_t> pp;
  std::optional<std::int64_t> ep;
  std::optional<std::int64_t> dp;
  std::optional<Precision> precision;
  std::optional<Precision> cache_precision;
  std::optional<double> memory_share;
  std::optional<bool> graphs;
  std::optional<std::int64_t> graph_batch;
  std::optional<bool> shared_prefixes;
  std::optional<std::int64_t> max_running;
  std::optional<double> tokens_per_pass;
  std::optional<double> acceptance;
  std::optional<std::int64_t> drafted;
};

enum class PlacementKind : std::uint8_t { colocated, split, async };
constexpr EnumNames<PlacementKind> names_of(PlacementKind) {
  return {"colocated", "split", "async"};
}

enum class WeightTransfer : std::uint8_t { broadcast, p2p };
constexpr EnumNames<WeightTransfer> names_of(WeightTransfer) { return {"broadcast", "p2p"}; }

struct PlacementRequest {
  std::optional<PlacementKind> kind;
  std::optional<std::int64_t> rollout_gpus;
  std::optional<std::int64_t> staleness;
  std::optional<bool> partial;
  std::optional<std::int64_t> sleep_level;
  std::optional<bool> offload_weights;
  std::optional<bool> offload_optimizer;
  std::optional<bool> offload_reference;
  std::optional<WeightTransfer> transfer;
  std::optional<bool> staged_wake;
};

// The three objects as asked for, or with all their defaults.
struct RlRequests {
  RlRequest rl;
  RolloutRequest rollout;
  PlacementRequest placement;
};

}  // namespace orrery
