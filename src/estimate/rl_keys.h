// SPDX-License-Identifier: Apache-2.0
//
// The keys of `training.rl`, `rollout` and `placement` of a run file, one row each (core/keys.h).
// Errors: none.
#pragma once

#include "core/keys.h"
#include "estimate/rl.h"
#include "hardware/node_document.h"
#include "model/model_document.h"

namespace orrery {

extern const KeyTable kEngineDocument;  // generate/engine_json.cpp

namespace rl_forms {
inline constexpr std::int64_t kMost = std::int64_t{1} << 30;
inline constexpr Form kLength = form::whole(1, kMost, "tokens");
inline constexpr Form kDegree = form::whole(1, 65536, "ranks");
}  // namespace rl_forms

inline constexpr auto kResponseRows = keys<ResponseRequest>(
    key<&ResponseRequest::mean>("mean", form::number(1, 1e9, "tokens"), kNothing, Vary::run,
                                "mean tokens of an answer, those at the cap counted")
        .flagged("--response-mean", "mean tokens of an answer"),
    key<&ResponseRequest::distribution>("distribution", form::one_of<LengthShape>(),
                                        otherwise("lognormal"), Vary::run,
                                        "shape of the lengths below the cap"),
    key<&ResponseRequest::spread>("spread", form::number(0, 10, "of the mean"), otherwise("0.5"),
                                  Vary::run, "standard deviation over mean of that shape"),
    key<&ResponseRequest::cap>("cap", rl_forms::kLength, kNothing, Vary::run,
                               "tokens at which an answer is cut")
        .flagged("--response-cap", "tokens at which an answer is cut"),
    key<&ResponseRequest::at_cap>("at_cap", form::number(0, 1, "of the answers"), otherwise("0"),
                                  Vary::run, "answers that end at the cap whatever the shape says"),
    key<&ResponseRequest::lengths>("lengths", form::list(rl_forms::kLength, 1, 1 << 20), kNothing,
                                   Vary::run, "measured lengths, in place of all the others"));
inline constexpr Keys<ResponseRequest> kResponseKeys{"training.rl.response", kResponseRows};
template <>
struct KeysOf<ResponseRequest> {
  static constexpr const Keys<ResponseRequest>& table = kResponseKeys;
};

inline constexpr auto kAgentRows = keys<AgentRequest>(
    key<&AgentRequest::turns>("turns", form::whole(1, 10000, "turns"), kRequired, Vary::run,
                              "turns of an answer, of equal length"),
    key<&AgentRequest::tool>("tool", form::quantity(kSeconds, true), kNothing, Vary::run,
                             "mean time of a tool between two turns"),
    key<&AgentRequest::tool_spread>(
        "tool_spread", form::number(0, 10, "of the mean"), otherwise("0"), Vary::run,
        "standard deviation over mean of the tool's time, between answers"),
    key<&AgentRequest::hung>("hung", form::number(0, 1, "of the answers"), otherwise("0"),
                             Vary::run, "answers of which one call does not come back"),
    key<&AgentRequest::timeout>("timeout", form::quantity(kSeconds, true), kNothing, Vary::run,
                                "after which such a call is given up"));
inline constexpr Keys<AgentRequest> kAgentKeys{"training.rl.agent", kAgentRows};
template <>
struct KeysOf<AgentRequest> {
  static constexpr const Keys<AgentRequest>& table = kAgentKeys;
};

inline constexpr auto kRewardRows = keys<RewardRequest>(
    key<&RewardRequest::kind>("kind", form::one_of<RewardKind>(), otherwise("rule"), Vary::run,
                              "model: one as large as the policy reads each answer once"),
    key<&RewardRequest::time>("time", form::quantity(kSeconds, true), otherwise("0 s"), Vary::run,
                              "of rules or services, a step, that nothing hides"));
inline constexpr Keys<RewardRequest> kRewardKeys{"training.rl.reward", kRewardRows};
template <>
struct KeysOf<RewardRequest> {
  static constexpr const Keys<RewardRequest>& table = kRewardKeys;
};

inline constexpr auto kRlRows = keys<RlRequest>(
    key<&RlRequest::algorithm>("algorithm", form::one_of<RlAlgorithm>(), kRequired, Vary::run,
                               "ppo has a critic as large as the policy; dpo and reward (a reward "
                               "model of pairs) generate nothing; distill has a teacher")
        .flagged("--rl", "algorithm of reinforcement learning"),
    key<&RlRequest::prompts>("prompts", form::whole(1, rl_forms::kMost, "prompts"), kNothing,
                             Vary::run, "prompts of a step")
        .flagged("--prompts", "prompts of a step"),
    key<&RlRequest::group>("group", form::whole(1, 65536, "answers"), otherwise("1"), Vary::run,
                           "answers to each prompt")
        .flagged("--group", "answers to each prompt"),
    key<&RlRequest::prompt_length>("prompt_length", rl_forms::kLength, kNothing, Vary::run,
                                   "mean tokens of a prompt")
        .flagged("--prompt-length", "mean tokens of a prompt"),
    key<&RlRequest::response>("response", form::object(kResponseKeys), kNothing, Vary::run,
                              "lengths of the answers; nothing moves a step more"),
    key<&RlRequest::agent>("agent", form::object(kAgentKeys), kNothing, Vary::run,
                           "an answer is a conversation with tools"),
    key<&RlRequest::reward>("reward", form::object(kRewardKeys), otherwise("rule, 0 s"), Vary::run,
                            "what scores an answer"),
    key<&RlRequest::reference>("reference", form::boolean(),
                               otherwise("true but for dapo and reward", "the algorithm's"),
                               Vary::run, "a frozen copy of the policy scores each answer"),
    key<&RlRequest::old_log_probs>(
        "old_log_probs", form::boolean(),
        otherwise("true but for dpo, reward and distill", "the algorithm's"), Vary::run,
        "the policy scores its answers by a forward pass of the trainer before it learns"),
    key<&RlRequest::chunked_log_probs>("chunked_log_probs", form::boolean(), otherwise("false"),
                                       Vary::run,
                                       "logits of a scoring pass are made and freed in chunks"),
    key<&RlRequest::entropy>("entropy", form::one_of<RlEntropy>(), otherwise("none"), Vary::run,
                             "of the policy, which holds a copy of the logits and their softmax: "
                             "in the scoring pass (verl), or in the loss too (slime)"),
    key<&RlRequest::mini_batches>("mini_batches", form::whole(1, 65536, "updates"), otherwise("1"),
                                  Vary::run, "updates of one pass over the answers"),
    key<&RlRequest::epochs>("epochs", form::whole(1, 1000, "passes"), otherwise("1"), Vary::run,
                            "passes of updates over the answers"),
    key<&RlRequest::dropped>("dropped", form::number(0, 0.99, "of the prompts"), otherwise("0"),
                             Vary::run,
                             "of generated groups, thrown away (dapo's dynamic sampling)"),
    key<&RlRequest::packed_tokens>(
        "packed_tokens", rl_forms::kLength, kNothing, Vary::run,
        "answers share micro batches of so many tokens a replica of the learner; without it each "
        "is padded to the longest"),
    key<&RlRequest::teacher>("teacher", form::document("model", &kModelDocument), kNothing,
                             Vary::run, "distill: the frozen model that scores each answer")
        .flagged("--teacher", "distill: the model that scores: name or path", "model"),
    key<&RlRequest::steps>("steps", form::whole(1, 1'000'000'000, "steps"), kNothing, Vary::run,
                           "of the whole training, whose days and GPU hours the answer then has")
        .flagged("--rl-steps", "steps of the whole training by reinforcement learning"));
inline constexpr Keys<RlRequest> kRlKeys{"training.rl", kRlRows};
template <>
struct KeysOf<RlRequest> {
  static constexpr const Keys<RlRequest>& table = kRlKeys;
};

inline constexpr auto kRolloutRows = keys<RolloutRequest>(
    key<&RolloutRequest::engine>("engine", form::document("engine", &kEngineDocument),
                                 otherwise("vllm"), Vary::run, "software that generates")
        .flagged("--engine", "software that generates: name or path"),
    key<&RolloutRequest::node>("node", form::document("node", &kNodeDocument),
                               otherwise("the learner's"), Vary::run,
                               "kind of node that generates, where it is another"),
    key<&RolloutRequest::tp>("tp", rl_forms::kDegree, otherwise("1"), Vary::run,
                             "tensor parallelism of an engine")
        .flagged("--engine-tp", "tensor parallelism of an engine"),
    key<&RolloutRequest::pp>("pp", rl_forms::kDegree, otherwise("1"), Vary::run,
                             "pipeline stages of an engine"),
    key<&RolloutRequest::ep>("ep", rl_forms::kDegree, otherwise("1"), Vary::run,
                             "expert parallelism of an engine: 1 or tp·dp"),
    key<&RolloutRequest::dp>("dp", rl_forms::kDegree, otherwise("1"), Vary::run,
                             "replicas of attention that share an engine's experts"),
    key<&RolloutRequest::precision>("precision", form::one_of<Precision>(),
                                    otherwise("16 bits, as training's"), Vary::run,
                                    "of the weights of linear layers"),
    key<&RolloutRequest::cache_precision>("cache_precision", form::one_of<Precision>(),
                                          otherwise("16 bits, as training's"), Vary::run,
                                          "of keys and values"),
    key<&RolloutRequest::memory_share>("memory_share", form::number(0.01, 1, "of the device"),
                                       otherwise("the engine's"), Vary::run,
                                       "of the device's memory that the engine takes")
        .flagged("--memory-share", "share of a device's memory that the engine takes"),
    key<&RolloutRequest::graphs>("graphs", form::boolean(), otherwise("true"), Vary::run,
                                 "kernels of a pass are captured in CUDA graphs"),
    key<&RolloutRequest::graph_batch>("graph_batch", form::whole(1, 1 << 20, "sequences"),
                                      otherwise("the engine's"), Vary::run,
                                      "the largest batch that has a graph"),
    key<&RolloutRequest::shared_prefixes>("shared_prefixes", form::boolean(), otherwise("true"),
                                          Vary::run, "a prompt is read once for its group"),
    key<&RolloutRequest::max_running>("max_running", form::whole(1, 1 << 20, "sequences"),
                                      otherwise("the engine's"), Vary::run,
                                      "sequences of an engine at once"),
    key<&RolloutRequest::tokens_per_pass>(
        "tokens_per_pass", form::number(1, 64, "tokens"), otherwise("1, or by acceptance"),
        Vary::run, "of a sequence, with accepted drafts of speculative decoding"),
    key<&RolloutRequest::acceptance>(
        "acceptance", form::number(0, 1, "of the drafted tokens"), kNothing, Vary::run,
        "probability that a drafted token is accepted, where those before it are; says "
        "tokens_per_pass beside drafted"),
    key<&RolloutRequest::drafted>("drafted", form::whole(0, 64, "tokens"), otherwise("0"),
                                  Vary::run, "tokens of a draft that a pass checks"));
inline constexpr Keys<RolloutRequest> kRolloutKeys{"rollout", kRolloutRows};
template <>
struct KeysOf<RolloutRequest> {
  static constexpr const Keys<RolloutRequest>& table = kRolloutKeys;
};

inline constexpr auto kPlacementRows = keys<PlacementRequest>(
    key<&PlacementRequest::kind>(
        "kind", form::one_of<PlacementKind>(), otherwise("colocated; split with rollout_gpus"),
        Vary::run,
        "colocated: one after the other on all GPUs; split: GPUs of their own, in step; async: "
        "these, and answers may be of older weights")
        .flagged("--placement", "GPUs of generator and learner"),
    key<&PlacementRequest::rollout_gpus>("rollout_gpus", form::whole(1, 100'000'000, "GPUs"),
                                         kNothing, Vary::run,
                                         "of cluster.gpus, those that generate; not colocated")
        .flagged("--rollout-gpus", "GPUs that generate"),
    key<&PlacementRequest::staleness>("staleness", form::whole(0, 1000, "updates"), otherwise("1"),
                                      Vary::run,
                                      "async: updates of the weights since an answer began"),
    key<&PlacementRequest::partial>(
        "partial", form::boolean(), otherwise("false"), Vary::run,
        "async: answers go on under new weights, so that no step waits for the longest"),
    key<&PlacementRequest::sleep_level>("sleep_level", form::whole(0, 2, "level"), otherwise("2"),
                                        Vary::run,
                                        "colocated: 0 keeps weights and cache on the device, 1 "
                                        "moves weights to the host, 2 drops both"),
    key<&PlacementRequest::offload_weights>(
        "offload_weights", form::boolean(), otherwise("false"), Vary::run,
        "colocated: the learner's weights and gradients leave the device while answers are made"),
    key<&PlacementRequest::offload_optimizer>("offload_optimizer", form::boolean(),
                                              otherwise("false"), Vary::run,
                                              "colocated: so do its optimizer states"),
    key<&PlacementRequest::offload_reference>(
        "offload_reference", form::boolean(), otherwise("false"), Vary::run,
        "the frozen copy is on the device only while it scores"),
    key<&PlacementRequest::transfer>("transfer", form::one_of<WeightTransfer>(),
                                     otherwise("broadcast"), Vary::run,
                                     "how weights reach engines on other GPUs"),
    key<&PlacementRequest::staged_wake>(
        "staged_wake", form::boolean(), otherwise("true"), Vary::run,
        "colocated: the cache comes back after the weights, not with them"));
inline constexpr Keys<PlacementRequest> kPlacementKeys{"placement", kPlacementRows};
template <>
struct KeysOf<PlacementRequest> {
  static constexpr const Keys<PlacementRequest>& table = kPlacementKeys;
};

}  // namespace orrery
