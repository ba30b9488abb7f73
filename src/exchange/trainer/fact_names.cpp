// SPDX-License-Identifier: Apache-2.0
//
// The one table of facts: their words in files of rules, and the keys of the run that they are of.
#include <string_view>

#include "core/key_access.h"
#include "estimate/run_keys.h"
#include "estimate/training_keys.h"
#include "exchange/trainer/facts.h"
#include "hardware/cluster_keys.h"
#include "parallel/strategy_keys.h"

namespace orrery::trainer {
namespace {

struct FactName {
  std::string_view word;  // in files of rules
  std::string_view key;   // of the run
  FactKind kind = FactKind::word;
  bool is_step = false;  // towards a key, and no value of it
};

constexpr EnumArray<FactId, FactName> kFacts = {
    FactName{"model", key_path<&RunRequest::model>, FactKind::word},
    FactName{"packed_base", key_path<&TrainingRequest::adapter>, FactKind::boolean, true},
    FactName{"gpus", key_path<&ClusterRequest::gpus>, FactKind::degree},
    FactName{"micro_batch", key_path<&TrainingRequest::micro_batch>, FactKind::degree},
    FactName{"accumulation", key_path<&TrainingRequest::global_batch>, FactKind::degree, true},
    FactName{"replica_batch", key_path<&TrainingRequest::global_batch>, FactKind::degree, true},
    FactName{"schedule_batch", key_path<&StrategyRequest::schedule_runs>, FactKind::degree, true},
    FactName{"global_batch", key_path<&TrainingRequest::global_batch>, FactKind::degree},
    FactName{"sequence_length", key_path<&TrainingRequest::sequence_length>, FactKind::tokens},
    FactName{"precision", key_path<&TrainingRequest::precision>, FactKind::word},
    FactName{"narrow", key_path<&TrainingRequest::states>, FactKind::boolean, true},
    FactName{"tp", key_path<&StrategyRequest::tp>, FactKind::degree},
    FactName{"pp", key_path<&StrategyRequest::pp>, FactKind::degree},
    FactName{"cp", key_path<&StrategyRequest::cp>, FactKind::degree},
    FactName{"cp_type", key_path<&StrategyRequest::cp_type>, FactKind::word},
    FactName{"ep", key_path<&StrategyRequest::ep>, FactKind::degree},
    FactName{"sequence_parallel", key_path<&StrategyRequest::sequence_parallel>, FactKind::boolean},
    FactName{"replicate", key_path<&StrategyRequest::zero_shard_group>, FactKind::degree},
    FactName{"shard", key_path<&StrategyRequest::zero_shard_group>, FactKind::degree},
    FactName{"zero", key_path<&StrategyRequest::zero>, FactKind::count},
    FactName{"offload_parameters", key_path<&Offload::parameters>, FactKind::word},
    FactName{"offload_optimizer", key_path<&Offload::optimizer>, FactKind::word},
    FactName{"offload_activations", key_path<&Offload::activations>, FactKind::word},
    FactName{"recompute", key_path<&StrategyRequest::recompute>, FactKind::boolean},
    FactName{"checkpointed_every", key_path<&StrategyRequest::recompute>, FactKind::degree, true},
    FactName{"adapter", key_path<&TrainingRequest::adapter>, FactKind::word},
    FactName{"optimizer", key_path<&TrainingRequest::optimizer>, FactKind::word},
    FactName{"optimizer_rank", key_path<&TrainingRequest::optimizer_rank>, FactKind::degree},
    FactName{"momentum", key_path<&TrainingRequest::states>, FactKind::boolean, true},
    FactName{"no_gradients", key_path<&TrainingRequest::states>, FactKind::boolean, true},
    FactName{"flash", key_path<&TrainingRequest::flash_attention>, FactKind::boolean},
    FactName{"compile", "parallel.framework_options.compile", FactKind::boolean},
    FactName{"kernels", "parallel.framework_options.kernels", FactKind::word},
    FactName{"loss", "parallel.framework_options.loss", FactKind::word},
    FactName{"keeps_gathered", "parallel.framework_options.reshard_after_forward",
             FactKind::boolean},
    FactName{"deepspeed", key_path<&StrategyRequest::zero>, FactKind::word},
    FactName{"framework", key_path<&RunRequest::framework>, FactKind::word},
    FactName{"schedule", key_path<&StrategyRequest::schedule>, FactKind::word},
    FactName{"base_weights", key_path<&TrainingRequest::adapter>, FactKind::word, true},
    FactName{"loads_narrow", key_path<&TrainingRequest::states>, FactKind::boolean, true},
    FactName{"unknown_weights", key_path<&TrainingRequest::precision>, FactKind::word, true},
    FactName{"freezes_tower", key_path<&TrainingRequest::images>, FactKind::boolean, true},
    FactName{"states_of_profile", key_path<&TrainingRequest::states>, FactKind::boolean, true},
    FactName{"liger_norms", "parallel.framework_options.kernels", FactKind::boolean, true},
    FactName{"liger_rotary", "parallel.framework_options.kernels", FactKind::boolean, true},
    FactName{"liger_activation", "parallel.framework_options.kernels", FactKind::boolean, true},
    FactName{"liger_loss", "parallel.framework_options.loss", FactKind::boolean, true},
    FactName{"liger_linear_loss", "parallel.framework_options.loss", FactKind::boolean, true},
    FactName{"steps", key_path<&TrainingRequest::tokens>, FactKind::count, true},
    FactName{"replicas", key_path<&ClusterRequest::gpus>, FactKind::degree, true},
    FactName{"gpus_per_node", key_path<&ClusterRequest::gpus>, FactKind::degree, true}};

}  // namespace

std::string_view name_of(FactId fact) { return kFacts[fact].key; }
FactKind kind_of(FactId fact) { return kFacts[fact].kind; }
bool is_step(FactId fact) { return kFacts[fact].is_step; }

std::optional<FactId> find_fact(std::string_view word) {
  for (std::size_t i = 0; i < kCountOf<FactId>; ++i) {
    const auto id = static_cast<FactId>(i);
    if (kFacts[id].word == word) return id;
  }
  return {};
}

std::vector<std::string> fact_words() {
  std::vector<std::string> words;
  for (const FactName& f : kFacts.values) words.emplace_back(f.word);
  return words;
}

}  // namespace orrery::trainer
