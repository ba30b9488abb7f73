// SPDX-License-Identifier: Apache-2.0
//
// The legal strategies, as a table of named rules.
//
// first_broken() is for a search's inner loop: it returns a small code and touches no string; the
// rules stand in the order in which they reject most for least. check() is for the border: it turns
// the code into an InputError that names the culprit.
// The rules are those that hold whatever the framework, in Megatron-LM's words (training/
// arguments.py, core/transformer/transformer_config.py) where it states them. Not rules, because
// some framework allows them: ZeRO 2 and 3 with pp > 1 (DeepSpeed refuses, FSDP runs it), sequence
// parallelism with tp 1 (switched off silently; resolve_strategy does so and says it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace orrery {

struct Architecture;
struct Strategy;

// Inputs of legality besides strategy and architecture.
struct RunShape {
  std::int64_t gpus = 1;
  std::int64_t sequence = 1;      // tokens
  std::int64_t global_batch = 1;  // sequences
  bool has_host_memory = true;    // that offload can use
  bool has_nvme = true;
  double weight_bits = 16;            // of an element on the wire: of a gathered weight
  double gradient_bits = 16;          // and of a reduced gradient
  bool compresses_weights = false;    // gathers of weights by a codec of `compression`
  bool compresses_gradients = false;  // and reductions of gradients
};

enum class RuleId : std::uint8_t {
  none,
  degrees,
  world_size,
  global_batch,
  tp_heads,
  tp_kv_heads,
  tp_hidden,
  tp_intermediate,
  cp_sequence,
  sequence_parallel,
  a2a_heads,
  a2a_kv_heads,
  recurrent_heads,
  stages,
  vpp_pipeline,
  schedule_chunks,
  interleaved_chunks,
  two_chunks,
  interleaved_micro_batches,
  breadth_first_micro_batches,
  dualpipe_stages,
  dualpipe_micro_batches,
  dualpipev_micro_batches,
  post_validation,
  schedule_steps,
  schedule_runs,
  empty_chunk,
  stage_layers,
  vision_stage,
  shared_weights,
  levels,
  ep_dense,
  ep_experts,
  ep_ranks,
  etp_intermediate,
  shared_intermediate,
  moe_sequence_parallel,
  expert_order,
  sites,
  zero,
  partition,
  zeropp_weights,
  hpz_group,
  zeropp_gradients,
  zeropp_bits,
  zeropp_compression,
  recompute_empty,
  recompute_dense_mlp,
  recompute_moe,
  recompute_mla,
  recompute_layers_full,
  recompute_layers_chunk,
  layer_ranges,
  layer_sharding,
  offload_fraction,
  offload_host,
  offload_nvme,
};
inline constexpr std::size_t kRules = 56;  // without none

struct Rule {
  RuleId id = RuleId::none;
  std::string_view name;     // as `rejected` counts it: "tp-heads"
  std::string_view path;     // of the culprit in a run file: "parallel.tp"
  std::string_view allowed;  // "tp divides num_attention_heads"
};

// Not for RuleId::none.
const Rule& rule_of(RuleId id);

// True for a rule that only asks of degrees and the batch: broken with micro batches of one
// sequence and one chunk a stage, it is whatever else a strategy has.
bool is_of_degrees_alone(RuleId id);

RuleId first_broken(const Strategy& s, const Architecture& a, const RunShape& run);

// The rules in three parts, in their order: those that ask nothing of how states are sharded, what
// is recomputed and offloaded; those that ask of the sharding and of degrees; and the rest, which
// ask nothing of the sharding.
enum class RulePart : std::uint8_t { degrees, sharding, recompute };
constexpr RulePart rule_part(RuleId id) {
  if (id < RuleId::zero) return RulePart::degrees;
  return id < RuleId::recompute_empty ? RulePart::sharding : RulePart::recompute;
}
RuleId first_broken(RulePart part, const Strategy& s, const Architecture& a, const RunShape& run);

// The numbers a rule speaks of: "tp 6, num_attention_heads 64".
std::string found_text(RuleId id, const Strategy& s, const Architecture& a, const RunShape& run);

// Throws InputError where a rule is broken.
void check(const Strategy& s, const Architecture& a, const RunShape& run, const std::string& file);

}  // namespace orrery
