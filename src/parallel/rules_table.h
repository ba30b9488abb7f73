// SPDX-License-Identifier: Apache-2.0
//
// Every rule of legality: its id, what messages call it and blame, the facts they show, and when it
// is broken. In the order of RuleId (rules.h), which is the order in which they are asked.
//
// A rule may count on those before it: that degrees are at least 1, that their product is the
// world. Units: counts. Errors: none.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "parallel/rules.h"
#include "parallel/rules_facts.h"
#include "parallel/rules_terms.h"
#include "parallel/strategy_keys.h"

namespace orrery::legality {

struct Entry {
  Rule rule;
  std::array<RuleFact, 4> facts;  // what a message shows
  bool (*broken)(const C&);
  bool of_degrees_alone = false;  // is_of_degrees_alone()
};

inline constexpr std::array<Entry, kRules> kEntries = {{
    {{RuleId::degrees, "degrees", "parallel", "degrees of at least 1"},
     {RuleFact::tp, RuleFact::cp, RuleFact::pp, RuleFact::dp},
     [](const C& c) {
       return std::min({c.s.tp, c.s.cp, c.s.pp, c.s.vpp, c.s.dp, c.s.ep, c.s.etp, c.s.micro_batch,
                        c.s.micro_batches}) < 1;
     },
     true},
    {{RuleId::world_size, "world-size", key_path<&StrategyRequest::dp>,
      "tp·cp·pp·dp equal to gpus"},
     {RuleFact::tp, RuleFact::cp, RuleFact::pp, RuleFact::dp},
     [](const C& c) { return !is_product(c.run.gpus, c.s.tp, c.s.cp, c.s.pp, c.s.dp); },
     true},
    {{RuleId::global_batch, "global-batch", "training.global_batch",
      "a multiple of dp·micro_batch"},
     {RuleFact::global_batch, RuleFact::dp, RuleFact::micro_batch},
     [](const C& c) {
       return !is_product(c.run.global_batch, c.s.dp, c.s.micro_batch, c.s.micro_batches);
     },
     true},

    {{RuleId::tp_heads, "tp-heads", key_path<&StrategyRequest::tp>,
      "tp that divides num_attention_heads"},
     {RuleFact::tp, RuleFact::heads},
     [](const C& c) { return !divides(c.s.tp, c.a.heads); },
     true},
    {{RuleId::tp_kv_heads, "tp-kv-heads", key_path<&StrategyRequest::tp>,
      "tp that divides num_key_value_heads, or is a multiple of it"},
     {RuleFact::tp, RuleFact::kv_heads},
     [](const C& c) { return !divides(c.s.tp, c.a.kv_heads) && !divides(c.a.kv_heads, c.s.tp); },
     true},
    {{RuleId::tp_hidden, "tp-hidden", key_path<&StrategyRequest::tp>,
      "tp that divides hidden_size"},
     {RuleFact::tp, RuleFact::hidden},
     [](const C& c) { return !divides(c.s.tp, c.a.hidden); },
     true},
    {{RuleId::tp_intermediate, "tp-intermediate", key_path<&StrategyRequest::tp>,
      "tp that divides intermediate_size"},
     {RuleFact::tp, RuleFact::intermediate},
     [](const C& c) { return !divides(c.s.tp, c.a.intermediate); },
     true},

    {{RuleId::cp_sequence, "cp-sequence", key_path<&StrategyRequest::cp>,
      "2·cp (cp where cp_type is a2a) that divides sequence_length"},
     {RuleFact::cp, RuleFact::cp_type, RuleFact::sequence},
     [](const C& c) { return !pads_tokens(c) && !divides(sequence_pieces(c.s), c.run.sequence); },
     true},
    {{RuleId::sequence_parallel, "sequence-parallel", key_path<&StrategyRequest::sequence_parallel>,
      "tp·cp that divides sequence_length"},
     {RuleFact::tp, RuleFact::cp, RuleFact::sequence},
     [](const C& c) {
       return c.s.sequence_parallel && !pads_tokens(c) && !divides(c.s.tp * c.s.cp, c.run.sequence);
     }},
    {{RuleId::a2a_heads, "a2a-heads", key_path<&StrategyRequest::cp>,
      "tp·cp that divides num_attention_heads"},
     {RuleFact::cp_type, RuleFact::tp, RuleFact::cp, RuleFact::heads},
     [](const C& c) { return all_to_all(c.s) && !divides(c.s.tp * c.s.cp, c.a.heads); }},
    {{RuleId::a2a_kv_heads, "a2a-kv-heads", key_path<&StrategyRequest::cp>,
      "tp·cp that divides num_key_value_heads, or is a multiple of it"},
     {RuleFact::cp_type, RuleFact::tp, RuleFact::cp, RuleFact::kv_heads},
     [](const C& c) {
       const std::int64_t ranks = c.s.tp * c.s.cp;
       return all_to_all(c.s) && !divides(ranks, c.a.kv_heads) && !divides(c.a.kv_heads, ranks);
     }},
    // Recurrent layers trade heads for tokens under cp, whatever cp_type.
    {{RuleId::recurrent_heads, "recurrent-heads", key_path<&StrategyRequest::tp>,
      "tp·cp that divides the heads of the recurrent layers"},
     {RuleFact::tp, RuleFact::cp, RuleFact::recurrent_heads},
     [](const C& c) {
       const std::int64_t heads = c.a.recurrent.value_heads;
       return heads > 0 && !divides(c.s.tp * c.s.cp, heads);
     },
     true},

    {{RuleId::stages, "stages", key_path<&StrategyRequest::pp>, "at most 1024 chunks, pp·vpp"},
     {RuleFact::pp, RuleFact::vpp},
     [](const C& c) { return c.s.pp > kMaxStages || c.s.vpp > kMaxStages / c.s.pp; },
     true},
    {{RuleId::vpp_pipeline, "vpp-pipeline", key_path<&StrategyRequest::vpp>, "vpp 1 where pp is 1"},
     {RuleFact::vpp, RuleFact::pp},
     [](const C& c) { return c.s.vpp > 1 && c.s.pp == 1; }},
    {{RuleId::schedule_chunks, "schedule-chunks", key_path<&StrategyRequest::schedule>,
      "interleaved or breadth-first where vpp is above 1, a schedule of two chunks where it is 2"},
     {RuleFact::schedule, RuleFact::vpp},
     [](const C& c) { return c.s.vpp > 1 && chunks_taken(c) == ChunksTaken::one; }},
    {{RuleId::interleaved_chunks, "interleaved-chunks", key_path<&StrategyRequest::vpp>,
      "vpp above 1 where the schedule is interleaved"},
     {RuleFact::schedule, RuleFact::vpp},
     [](const C& c) { return c.s.vpp == 1 && chunks_taken(c) == ChunksTaken::several; }},
    {{RuleId::two_chunks, "two-chunks", key_path<&StrategyRequest::vpp>,
      "vpp 2 where the schedule is zb-v, v-half, v-min or dualpipev"},
     {RuleFact::schedule, RuleFact::vpp},
     [](const C& c) { return c.s.vpp != 2 && chunks_taken(c) == ChunksTaken::two; }},
    {{RuleId::interleaved_micro_batches, "interleaved-micro-batches",
      key_path<&StrategyRequest::pp>,
      "pp that divides the micro batches, global_batch/(dp·micro_batch), of each run of the "
      "schedule where interleaved"},
     {RuleFact::pp, RuleFact::micro_batches, RuleFact::schedule_runs},
     [](const C& c) {
       return c.s.schedule == ScheduleId::interleaved && !divides(c.s.pp, of_one_run(c));
     }},
    {{RuleId::breadth_first_micro_batches, "breadth-first-micro-batches",
      key_path<&StrategyRequest::pp>,
      "pp up to the micro batches, global_batch/(dp·micro_batch), where breadth-first"},
     {RuleFact::pp, RuleFact::micro_batches},
     [](const C& c) {
       return c.s.schedule == ScheduleId::breadth_first && of_one_run(c) < c.s.pp;
     }},
    {{RuleId::dualpipe_stages, "dualpipe-stages", key_path<&StrategyRequest::pp>,
      "pp even where dualpipe"},
     {RuleFact::pp},
     [](const C& c) { return c.s.schedule == ScheduleId::dualpipe && !divides(2, c.s.pp); }},
    {{RuleId::dualpipe_micro_batches, "dualpipe-micro-batches", key_path<&StrategyRequest::pp>,
      "micro batches, global_batch/(dp·micro_batch), even and at least 2·pp where dualpipe"},
     {RuleFact::pp, RuleFact::micro_batches},
     [](const C& c) {
       return c.s.schedule == ScheduleId::dualpipe &&
              (!divides(2, c.s.micro_batches) || c.s.micro_batches < 2 * c.s.pp);
     }},
    {{RuleId::dualpipev_micro_batches, "dualpipev-micro-batches", key_path<&StrategyRequest::pp>,
      "micro batches, global_batch/(dp·micro_batch), at least 2·pp where dualpipev"},
     {RuleFact::pp, RuleFact::micro_batches},
     [](const C& c) {
       return c.s.schedule == ScheduleId::dualpipev && of_one_run(c) < 2 * c.s.pp;
     }},
    {{RuleId::post_validation, "post-validation", key_path<&StrategyRequest::post_validation>,
      "false where `orrery list schedules` does not say zero bubble"},
     {RuleFact::schedule},
     [](const C& c) {
       return c.s.post_validation && !schedule_of(c.s.schedule).zero_bubble &&
              c.s.schedule != ScheduleId::own;
     }},
    // A sweep of more would take longer than anybody waits; pp 1 has no schedule to sweep.
    {{RuleId::schedule_steps, "schedule-steps", "training.global_batch",
      "pp·vpp·micro batches up to 4,194,304 where pp is above 1 (1,048,576 where backward is "
      "split)"},
     {RuleFact::pp, RuleFact::vpp, RuleFact::micro_batches},
     [](const C& c) {
       const std::int64_t most = std::int64_t{1}
                                 << (schedule_of(c.s.schedule).written_out ? 20 : 22);
       return c.s.pp > 1 && c.s.micro_batches > most / (c.s.pp * c.s.vpp);
     }},
    // Two copies of the model meet in the middle of a step, and an order of the user's own is
    // whole.
    {{RuleId::schedule_runs, "schedule-runs", key_path<&StrategyRequest::schedule_runs>,
      "a divisor of the micro batches, global_batch/(dp·micro_batch); 1 where pp is 1, the "
      "schedule "
      "dualpipe or of your own"},
     {RuleFact::schedule_runs, RuleFact::micro_batches, RuleFact::pp, RuleFact::schedule},
     [](const C& c) {
       if (c.s.schedule_runs == 1) return false;
       return c.s.pp == 1 || c.s.schedule == ScheduleId::dualpipe ||
              c.s.schedule == ScheduleId::own || !divides(c.s.schedule_runs, c.s.micro_batches);
     }},
    // The embedding and the head may have a chunk of their own: Llama 3.1 405B has 126 layers and
    // runs in 16·8 chunks.
    {{RuleId::empty_chunk, "empty-chunk", key_path<&StrategyRequest::pp>,
      "pp·vpp up to num_hidden_layers + 2; stage_layers may leave more chunks without layers"},
     {RuleFact::pp, RuleFact::vpp, RuleFact::layers},
     [](const C& c) { return !c.s.listed_stages && c.s.pp * c.s.vpp > c.a.layers + 2; }},
    {{RuleId::stage_layers, "stage-layers", key_path<&StrategyRequest::stage_layers>,
      "pp·vpp counts that sum to num_hidden_layers"},
     {RuleFact::stage_layers, RuleFact::layers},
     [](const C& c) { return c.s.listed_stages && !stage_layers_fit(c); }},
    {{RuleId::vision_stage, "vision-stage", key_path<&StrategyRequest::vision_stage>,
      "false where pp is 1, stage_layers is given or training.images is not"},
     {RuleFact::pp, RuleFact::vpp},
     [](const C& c) {
       return c.s.vision_stage && (c.s.pp == 1 || c.s.listed_stages || c.a.tower.layers == 0);
     }},
    {{RuleId::shared_weights, "shared-weights", key_path<&StrategyRequest::pp>,
      "pp 1 where several layers have the same weights"},
     {RuleFact::pp},
     [](const C& c) { return c.s.pp > 1 && shares_weights(c.a); }},
    // Convolutions read neighbours, and each level of the way up the output of one on the way down.
    {{RuleId::levels, "levels", key_path<&StrategyRequest::tp>, "tp 1, cp 1 and pp 1 with a U-Net"},
     {RuleFact::tp, RuleFact::cp, RuleFact::pp},
     [](const C& c) { return c.s.tp * c.s.cp * c.s.pp > 1 && has_levels(c.a.trunk); }},

    {{RuleId::ep_dense, "ep-dense", key_path<&StrategyRequest::ep>,
      "ep 1 and etp 1 where the model has no experts"},
     {RuleFact::ep, RuleFact::etp},
     [](const C& c) { return !is_moe(c.a) && (c.s.ep > 1 || c.s.etp > 1); },
     true},
    {{RuleId::ep_experts, "ep-experts", key_path<&StrategyRequest::ep>,
      "ep that divides num_local_experts"},
     {RuleFact::ep, RuleFact::experts},
     [](const C& c) { return !divides(c.s.ep, c.a.moe.experts); },
     true},
    {{RuleId::ep_ranks, "ep-ranks", key_path<&StrategyRequest::ep>, "ep·etp that divides tp·cp·dp"},
     {RuleFact::ep, RuleFact::etp, RuleFact::pp, RuleFact::gpus},
     [](const C& c) { return !divides(c.s.ep * c.s.etp, c.s.tp * c.s.cp * c.s.dp); },
     true},
    {{RuleId::etp_intermediate, "etp-intermediate", key_path<&StrategyRequest::etp>,
      "etp that divides moe_intermediate_size"},
     {RuleFact::etp, RuleFact::expert_intermediate},
     [](const C& c) { return !divides(c.s.etp, c.a.moe.expert_intermediate); },
     true},
    {{RuleId::shared_intermediate, "shared-intermediate", key_path<&StrategyRequest::tp>,
      "tp that divides the width of the shared experts"},
     {RuleFact::tp, RuleFact::shared_intermediate},
     [](const C& c) { return !divides(c.s.tp, c.a.moe.shared_intermediate); },
     true},
    {{RuleId::moe_sequence_parallel, "moe-sequence-parallel",
      key_path<&StrategyRequest::sequence_parallel>,
      "true where a model with experts has tp above 1"},
     {RuleFact::tp, RuleFact::experts},
     [](const C& c) { return is_moe(c.a) && c.s.tp > 1 && !c.s.sequence_parallel; }},
    // Megatron-LM, core/parallel_state.py: pipelines of experts and of the rest must be the same.
    {{RuleId::expert_order, "expert-order", key_path<&StrategyRequest::order>,
      "pp last where experts have fewer replicas than the rest"},
     {RuleFact::order, RuleFact::ep, RuleFact::etp, RuleFact::dp},
     [](const C& c) {
       return is_moe(c.a) && c.s.pp > 1 && c.s.order.back() != Dim::pp && expert_dp(c.s) != c.s.dp;
     }},

    {{RuleId::sites, "sites", key_path<&StrategyRequest::dp>,
      "dp and the replicas of an expert that cluster.sites.count divides"},
     {RuleFact::dp},
     [](const C& c) {
       return !divides(c.s.sites, c.s.dp) || (is_moe(c.a) && !divides(c.s.sites, expert_dp(c.s)));
     }},
    {{RuleId::zero, "zero", key_path<&StrategyRequest::zero>, "0, 1, 2 or 3"},
     {RuleFact::zero},
     [](const C& c) { return c.s.zero < 0 || c.s.zero > 3; }},
    {{RuleId::partition, "partition", key_path<&StrategyRequest::partition>,
      "groups that divide dp·cp"},
     {RuleFact::weights, RuleFact::gradients, RuleFact::optimizer, RuleFact::dp},
     [](const C& c) {
       const Partition& p = c.s.partition;
       const std::int64_t ranks = dense_replicas(c.s);
       return std::min({p.weights, p.gradients, p.optimizer}) < 1 || !divides(p.weights, ranks) ||
              !divides(p.gradients, ranks) || !divides(p.optimizer, ranks);
     }},

    {{RuleId::zeropp_weights, "zeropp-weights", key_path<&StrategyRequest::zeropp>,
      "qwz and hpz where weights are sharded (zero 3)"},
     {RuleFact::zeropp, RuleFact::weights},
     [](const C& c) {
       return c.s.partition.weights == 1 && (c.s.zeropp.qwz != 0 || c.s.zeropp.hpz != 0);
     }},
    {{RuleId::hpz_group, "hpz-group", key_path<&ZeroPlusPlusRequest::hpz>,
      "at least 2 ranks, a divisor of those the weights are sharded over"},
     {RuleFact::zeropp, RuleFact::weights},
     [](const C& c) {
       const std::int64_t copy = c.s.zeropp.hpz;
       return copy != 0 && (copy < 2 || !divides(copy, c.s.partition.weights));
     }},
    {{RuleId::zeropp_gradients, "zeropp-gradients", key_path<&ZeroPlusPlusRequest::qgz>,
      "qgz where gradients are reduced to shards (zero 1 to 3)"},
     {RuleFact::zeropp, RuleFact::gradients, RuleFact::optimizer},
     [](const C& c) {
       return c.s.zeropp.qgz != 0 && c.s.partition.gradients == 1 && c.s.partition.optimizer == 1;
     }},
    {{RuleId::zeropp_bits, "zeropp-bits", key_path<&StrategyRequest::zeropp>,
      "0 (off), or bits up to those of an element on the wire"},
     {RuleFact::zeropp, RuleFact::weight_bits, RuleFact::gradient_bits},
     [](const C& c) {
       const ZeroPlusPlus& z = c.s.zeropp;
       return z.qwz < 0 || z.qgz < 0 || static_cast<double>(z.qwz) > c.run.weight_bits ||
              static_cast<double>(z.qgz) > c.run.gradient_bits;
     }},

    {{RuleId::zeropp_compression, "zeropp-compression", key_path<&StrategyRequest::compression>,
      "qwz or a codec for gathers of dp, qgz or a codec for its reductions, not both"},
     {RuleFact::zeropp},
     [](const C& c) {
       return (c.s.zeropp.qwz != 0 && c.run.compresses_weights) ||
              (c.s.zeropp.qgz != 0 && c.run.compresses_gradients);
     }},

    {{RuleId::recompute_empty, "recompute-empty", key_path<&StrategyRequest::recompute_modules>,
      "at least one module where recompute is selective"},
     {RuleFact::recompute},
     [](const C& c) {
       return may_recompute(c.s, Recompute::selective) && c.s.recompute_modules == 0;
     }},
    {{RuleId::recompute_dense_mlp, "recompute-dense-mlp",
      key_path<&StrategyRequest::recompute_modules>,
      "mlp and mlp_act only where the model has layers without experts"},
     {RuleFact::recompute},
     [](const C& c) {
       return c.a.intermediate == 0 && recomputes(c.s, mask_of(Module::mlp, Module::mlp_act));
     }},
    {{RuleId::recompute_moe, "recompute-moe", key_path<&StrategyRequest::recompute_modules>,
      "moe and moe_act only where the model has experts"},
     {RuleFact::recompute},
     [](const C& c) {
       return !is_moe(c.a) && recomputes(c.s, mask_of(Module::moe, Module::moe_act));
     }},
    {{RuleId::recompute_mla, "recompute-mla", key_path<&StrategyRequest::recompute_modules>,
      "mla_up_proj only where attention is latent (kv_lora_rank)"},
     {RuleFact::recompute},
     [](const C& c) {
       return c.a.attention != AttentionKind::kLatent &&
              recomputes(c.s, mask_of(Module::mla_up_proj));
     }},
    {{RuleId::recompute_layers_full, "recompute-layers-full",
      key_path<&StrategyRequest::recompute_layers>, "recompute full with recompute_layers"},
     {RuleFact::recompute_layers, RuleFact::recompute},
     [](const C& c) { return c.s.recompute_layers != 0 && c.s.recompute != Recompute::full; }},
    {{RuleId::recompute_layers_chunk, "recompute-layers-chunk",
      key_path<&StrategyRequest::recompute_layers>, "0 up to the layers of a chunk"},
     {RuleFact::recompute_layers, RuleFact::layers, RuleFact::pp, RuleFact::vpp},
     [](const C& c) {
       return c.s.recompute_layers < 0 ||
              (c.s.recompute_layers > 0 && c.s.recompute_layers > most_layers_of_chunk(c.s, c.a));
     }},

    {{RuleId::layer_ranges, "layer-ranges", key_path<&StrategyRequest::layers>,
      "ranges of which each holds layers of the model and none beyond and sets recompute, zero or "
      "both (an end zero alone), without recompute_layers"},
     {RuleFact::layer_ranges, RuleFact::layers, RuleFact::recompute_layers},
     [](const C& c) {
       return c.s.layers.count > 0 && (c.s.recompute_layers > 0 || !ranges_fit(c));
     }},

    {{RuleId::layer_sharding, "layer-sharding", key_path<&StrategyRequest::layers>,
      "one zero beside the run's, each over all replicas of one site, without partition, "
      "zero_shard_group, zeropp, offloaded states and two copies of the model"},
     {RuleFact::layer_ranges, RuleFact::zero, RuleFact::schedule},
     [](const C& c) { return !ranges_shard(c); }},

    {{RuleId::offload_fraction, "offload-fraction", key_path<&Offload::optimizer_fraction>,
      "0 to 1"},
     {RuleFact::offload},
     [](const C& c) {
       return !(c.s.offload.optimizer_fraction >= 0 && c.s.offload.optimizer_fraction <= 1);
     }},
    {{RuleId::offload_host, "offload-host", key_path<&StrategyRequest::offload>,
      "host where the node states its memory"},
     {RuleFact::offload},
     [](const C& c) {
       return !c.run.has_host_memory && offloads_to(c.s.offload, &OffloadPlace::host_memory);
     }},
    {{RuleId::offload_nvme, "offload-nvme", key_path<&StrategyRequest::offload>,
      "nvme where the node has drives"},
     {RuleFact::offload},
     [](const C& c) { return !c.run.has_nvme && offloads_to(c.s.offload, &OffloadPlace::drives); }},
    {{RuleId::offload_tensors, "offload-tensors", key_path<&Offload::activations>,
      "host or nvme beside tensors or activations_fraction"},
     {RuleFact::offload},
     [](const C& c) {
       const Offload& o = c.s.offload;
       return o.activations == OffloadTarget::none &&
              (o.tensors != 0 || o.activations_fraction != 1);
     }},
    {{RuleId::offload_tensors_absent, "offload-tensors-absent", key_path<&Offload::tensors>,
      "parts that the model's layers have: mlp_act of a dense MLP, expert_fc1 and moe_act of "
      "experts"},
     {RuleFact::offload},
     [](const C& c) {
       const unsigned experts =
           mask_of(OffloadTensor::expert_fc1) | mask_of(OffloadTensor::moe_act);
       const bool dense = c.a.intermediate > 0 || c.a.trunk.kinds > 0;
       return (!is_moe(c.a) && (c.s.offload.tensors & experts) != 0) ||
              (!dense && (c.s.offload.tensors & mask_of(OffloadTensor::mlp_act)) != 0);
     }},
    {{RuleId::recompute_projections, "recompute-projections",
      key_path<&StrategyRequest::recompute_modules>,
      "qkv_proj only without latent attention, and attn_proj and qkv_proj only where text is "
      "decoded with norms before attention and MLP"},
     {RuleFact::recompute},
     [](const C& c) {
       const bool latent = c.a.attention == AttentionKind::kLatent || c.a.mla.q_lora_rank > 0;
       const bool plain = c.a.trunk.kinds == 0 && !c.a.parallel_residual &&
                          c.a.norm_placement == NormPlacement::pre;
       return (latent && recomputes(c.s, mask_of(Module::qkv_proj))) ||
              (!plain && recomputes(c.s, mask_of(Module::attn_proj, Module::qkv_proj)));
     }},
}};

constexpr bool in_order_of_ids() {
  for (std::size_t i = 0; i < kRules; ++i) {
    if (static_cast<std::size_t>(kEntries[i].rule.id) != i + 1) return false;
  }
  return true;
}
static_assert(in_order_of_ids());

}  // namespace orrery::legality
