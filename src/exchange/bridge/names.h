// SPDX-License-Identifier: Apache-2.0
//
// Keys of Megatron-Bridge's ConfigContainer (NVIDIA-NeMo/Megatron-Bridge, 2026) beside
// Megatron-LM's names.
#pragma once

#include <array>

#include "exchange/flat.h"

namespace orrery::bridge {

// In this order, of which the later ones go over the earlier ones: mixed_precision and comm_overlap
// are applied to model, ddp and optimizer when a run starts.
inline constexpr std::array kNames = {
    NamedPath{"model.num_layers", "num_layers"},
    NamedPath{"model.hidden_size", "hidden_size"},
    NamedPath{"model.ffn_hidden_size", "ffn_hidden_size"},
    NamedPath{"model.num_attention_heads", "num_attention_heads"},
    NamedPath{"model.num_query_groups", "num_query_groups"},
    NamedPath{"model.kv_channels", "kv_channels"},
    NamedPath{"model.max_position_embeddings", "max_position_embeddings"},
    NamedPath{"model.vocab_size", "vocab_size"},
    NamedPath{"model.make_vocab_size_divisible_by", "make_vocab_size_divisible_by"},
    NamedPath{"model.rotary_base", "rotary_base"},
    NamedPath{"model.normalization", "normalization"},
    NamedPath{"model.position_embedding_type", "position_embedding_type"},
    NamedPath{"model.add_bias_linear", "add_bias_linear"},
    NamedPath{"model.add_qkv_bias", "add_qkv_bias"},
    NamedPath{"model.softmax_type", "softmax_type"},
    NamedPath{"model.qk_layernorm", "qk_layernorm"},
    NamedPath{"model.hidden_dropout", "hidden_dropout"},
    NamedPath{"model.attention_dropout", "attention_dropout"},
    NamedPath{"model.multi_latent_attention", "multi_latent_attention"},
    NamedPath{"model.q_lora_rank", "q_lora_rank"},
    NamedPath{"model.kv_lora_rank", "kv_lora_rank"},
    NamedPath{"model.qk_head_dim", "qk_head_dim"},
    NamedPath{"model.qk_pos_emb_head_dim", "qk_pos_emb_head_dim"},
    NamedPath{"model.v_head_dim", "v_head_dim"},
    NamedPath{"model.num_moe_experts", "num_experts"},
    NamedPath{"model.moe_router_topk", "moe_router_topk"},
    NamedPath{"model.moe_router_num_groups", "moe_router_num_groups"},
    NamedPath{"model.moe_router_group_topk", "moe_router_group_topk"},
    NamedPath{"model.moe_ffn_hidden_size", "moe_ffn_hidden_size"},
    NamedPath{"model.moe_shared_expert_intermediate_size", "moe_shared_expert_intermediate_size"},
    NamedPath{"model.moe_expert_capacity_factor", "moe_expert_capacity_factor"},
    NamedPath{"model.moe_pad_expert_input_to_capacity", "moe_pad_expert_input_to_capacity"},
    NamedPath{"model.moe_router_enable_expert_bias", "moe_router_enable_expert_bias"},
    NamedPath{"model.moe_token_dispatcher_type", "moe_token_dispatcher_type"},
    NamedPath{"model.moe_enable_deepep", "moe_enable_deepep"},
    NamedPath{"model.moe_shared_expert_overlap", "moe_shared_expert_overlap"},
    NamedPath{"model.mtp_num_layers", "mtp_num_layers"},
    NamedPath{"model.window_size", "window_size"},
    NamedPath{"model.window_attn_skip_freq", "window_attn_skip_freq"},
    NamedPath{"model.seq_length", "seq_length"},
    NamedPath{"model.tensor_model_parallel_size", "tensor_model_parallel_size"},
    NamedPath{"model.pipeline_model_parallel_size", "pipeline_model_parallel_size"},
    NamedPath{"model.virtual_pipeline_model_parallel_size", "num_virtual_stages_per_pipeline_rank"},
    NamedPath{"model.context_parallel_size", "context_parallel_size"},
    NamedPath{"model.expert_model_parallel_size", "expert_model_parallel_size"},
    NamedPath{"model.expert_tensor_parallel_size", "expert_tensor_parallel_size"},
    NamedPath{"model.sequence_parallel", "sequence_parallel"},
    NamedPath{"model.cp_comm_type", "cp_comm_type"},
    NamedPath{"model.num_layers_in_first_pipeline_stage", "decoder_first_pipeline_num_layers"},
    NamedPath{"model.num_layers_in_last_pipeline_stage", "decoder_last_pipeline_num_layers"},
    NamedPath{"model.account_for_embedding_in_pipeline_split",
              "account_for_embedding_in_pipeline_split"},
    NamedPath{"model.account_for_loss_in_pipeline_split", "account_for_loss_in_pipeline_split"},
    NamedPath{"model.recompute_granularity", "recompute_granularity"},
    NamedPath{"model.recompute_method", "recompute_method"},
    NamedPath{"model.recompute_num_layers", "recompute_num_layers"},
    NamedPath{"model.recompute_modules", "recompute_modules"},
    NamedPath{"model.cpu_offloading", "cpu_offloading"},
    NamedPath{"model.fine_grained_activation_offloading", "fine_grained_activation_offloading"},
    NamedPath{"model.attention_backend", "attention_backend"},
    NamedPath{"model.transformer_impl", "transformer_impl"},
    NamedPath{"model.cuda_graph_impl", "cuda_graph_impl"},
    NamedPath{"model.enable_cuda_graph", "enable_cuda_graph"},
    NamedPath{"model.external_cuda_graph", "external_cuda_graph"},
    NamedPath{"model.overlap_p2p_comm", "overlap_p2p_comm"},
    NamedPath{"model.tp_comm_overlap", "tp_comm_overlap"},
    NamedPath{"model.gradient_accumulation_fusion", "gradient_accumulation_fusion"},
    NamedPath{"model.delay_wgrad_compute", "delay_wgrad_compute"},
    NamedPath{"model.overlap_moe_expert_parallel_comm", "overlap_moe_expert_parallel_comm"},
    NamedPath{"model.is_hybrid_model", "is_hybrid_model"},
    NamedPath{"model.mamba_num_heads", "mamba_num_heads"},
    NamedPath{"model.mamba_head_dim", "mamba_head_dim"},
    NamedPath{"model.mamba_num_groups", "mamba_num_groups"},
    NamedPath{"model.mamba_state_dim", "mamba_state_dim"},
    NamedPath{"model.linear_attention_freq", "linear_attention_freq"},
    NamedPath{"model.experimental_attention_variant", "sparse_attention_variant"},
    NamedPath{"model.bf16", "bf16"},
    NamedPath{"model.fp16", "fp16"},
    NamedPath{"model.fp8", "fp8_format"},
    NamedPath{"model.fp4", "fp4_format"},
    NamedPath{"train.global_batch_size", "global_batch_size"},
    NamedPath{"train.micro_batch_size", "micro_batch_size"},
    NamedPath{"train.train_iters", "train_iters"},
    NamedPath{"train.train_samples", "train_samples"},
    NamedPath{"train.rampup_batch_size", "rampup_batch_size"},
    NamedPath{"ddp.use_distributed_optimizer", "use_distributed_optimizer"},
    NamedPath{"ddp.use_megatron_fsdp", "use_megatron_fsdp"},
    NamedPath{"ddp.use_custom_fsdp", "use_custom_fsdp"},
    NamedPath{"dist.use_megatron_fsdp", "use_megatron_fsdp"},
    NamedPath{"dist.use_torch_fsdp2", "use_torch_fsdp2"},
    NamedPath{"dist.use_tp_pp_dp_mapping", "use_tp_pp_dp_mapping"},
    NamedPath{"ddp.data_parallel_sharding_strategy", "data_parallel_sharding_strategy"},
    NamedPath{"ddp.num_distributed_optimizer_instances", "num_distributed_optimizer_instances"},
    NamedPath{"dist.num_distributed_optimizer_instances", "num_distributed_optimizer_instances"},
    NamedPath{"ddp.outer_dp_sharding_strategy", "outer_dp_sharding_strategy"},
    NamedPath{"model.moe_latent_size", "moe_latent_size"},
    NamedPath{"ddp.overlap_grad_reduce", "overlap_grad_reduce"},
    NamedPath{"ddp.overlap_param_gather", "overlap_param_gather"},
    NamedPath{"ddp.grad_reduce_in_fp32", "accumulate_allreduce_grads_in_fp32"},
    NamedPath{"optimizer.use_distributed_optimizer", "use_distributed_optimizer"},
    NamedPath{"optimizer.optimizer", "optimizer"},
    NamedPath{"optimizer.use_precision_aware_optimizer", "use_precision_aware_optimizer"},
    NamedPath{"optimizer.main_grads_dtype", "main_grads_dtype"},
    NamedPath{"optimizer.store_param_remainders", "store_param_remainders"},
    NamedPath{"optimizer.main_params_dtype", "main_params_dtype"},
    NamedPath{"optimizer.exp_avg_dtype", "exp_avg_dtype"},
    NamedPath{"optimizer.exp_avg_sq_dtype", "exp_avg_sq_dtype"},
    NamedPath{"optimizer.optimizer_cpu_offload", "optimizer_cpu_offload"},
    NamedPath{"optimizer.optimizer_offload_fraction", "optimizer_offload_fraction"},
    NamedPath{"mixed_precision.bf16", "bf16"},
    NamedPath{"mixed_precision.fp16", "fp16"},
    NamedPath{"mixed_precision.fp8", "fp8_format"},
    NamedPath{"mixed_precision.fp8_recipe", "fp8_recipe"},
    NamedPath{"mixed_precision.fp8_param_gather", "fp8_param_gather"},
    NamedPath{"mixed_precision.fp4", "fp4_format"},
    NamedPath{"mixed_precision.grad_reduce_in_fp32", "accumulate_allreduce_grads_in_fp32"},
    NamedPath{"mixed_precision.reuse_grad_buf_for_mxfp8_param_ag",
              "reuse_grad_buf_for_mxfp8_param_ag"},
    NamedPath{"mixed_precision.first_last_layers_bf16", "first_last_layers_bf16"},
    NamedPath{"comm_overlap.overlap_grad_reduce", "overlap_grad_reduce"},
    NamedPath{"comm_overlap.overlap_param_gather", "overlap_param_gather"},
    NamedPath{"comm_overlap.tp_comm_overlap", "tp_comm_overlap"},
    NamedPath{"comm_overlap.overlap_p2p_comm", "overlap_p2p_comm"},
    NamedPath{"comm_overlap.delay_wgrad_compute", "delay_wgrad_compute"},
    NamedPath{"comm_overlap.overlap_moe_expert_parallel_comm", "overlap_moe_expert_parallel_comm"},
    NamedPath{"comm_overlap.defer_embedding_wgrad_compute", "defer_embedding_wgrad_compute"},
};

// Keys that a recipe may have set, and their values where a run does not use them.
struct OffValue {
  std::string_view path;
  bool is_switch = true;  // false, or null
};
inline constexpr std::array kOffValues = {
    OffValue{"model.num_moe_experts", false},
    OffValue{"model.num_query_groups", false},
    OffValue{"model.mtp_num_layers", false},
    OffValue{"model.qk_layernorm"},
    OffValue{"model.add_qkv_bias"},
    OffValue{"model.multi_latent_attention"},
    OffValue{"model.gated_linear_unit"},
    OffValue{"model.sequence_parallel"},
    OffValue{"model.virtual_pipeline_model_parallel_size", false},
    OffValue{"model.pipeline_model_parallel_layout", false},
    OffValue{"model.account_for_embedding_in_pipeline_split"},
    OffValue{"model.account_for_loss_in_pipeline_split"},
    OffValue{"model.recompute_granularity", false},
    OffValue{"optimizer.use_distributed_optimizer"},
    OffValue{"optimizer.use_precision_aware_optimizer"},
    OffValue{"optimizer.optimizer_cpu_offload"},
    OffValue{"dist.use_megatron_fsdp"},
    OffValue{"mixed_precision.bf16"},
    OffValue{"mixed_precision.fp16"},
    OffValue{"mixed_precision.fp8", false},
    OffValue{"mixed_precision.fp4", false},
    OffValue{"comm_overlap.overlap_grad_reduce"},
    OffValue{"comm_overlap.overlap_param_gather"},
    OffValue{"comm_overlap.tp_comm_overlap"},
};

inline constexpr std::array kActivations = {
    NamedPath{"silu", "swiglu"},
    NamedPath{"swish", "swiglu"},
    NamedPath{"quick_gelu", "quick_geglu"},
    NamedPath{"gelu", "geglu"},
};

// Sections without effect, and of [model] what its kernels, its initialisation and its inference
// use.
inline constexpr std::string_view kWithoutEffect =
    "_target_ checkpoint.* dataset.* dist.* ft.* inprocess_restart.* logger.* nvrx_straggler.* "
    "optimizer_config_override_provider.* profiling.* rerun_state_machine.* rng.* scheduler.* "
    "straggler.* tensor_inspect.* tokenizer.* validation.* train._target_ comm_overlap._target_ "
    "ddp._target_ optimizer._target_ mixed_precision._target_ model._target_ "
    "train.exit_signal* train.check_optimizer_* optimizer.params_dtype optimizer.muon_s* "
    "optimizer.muon_c* optimizer.lion_* optimizer.*loss_scale* optimizer.hysteresis "
    "optimizer.finetune_lr optimizer_config_override_provider mixed_precision.pipeline_dtype "
    "mixed_precision.*dtype ddp.megatron_fsdp_main_params_dtype "
    "ddp.fsdp_all_gather_in_start_param_sync comm_overlap.tp_comm_bootstrap_backend "
    "model.activation_func* model.apply_* "
    "model.attention_softmax_in_fp32 model.autocast_dtype "
    "model.barrier_with_L1_time model.batch_* model.beta_* model.bias_* "
    "model.cache_mla_latents model.calculate_per_token_loss model.clone_* "
    "model.config_logger_dir model.cpu_offloading_* model.cross_entropy_* model.cuda_graph_* "
    "model.deallocate_* model.defer_* model.deterministic_mode model.disable_* "
    "model.dsa_* model.embedding_* model.enable_* model.ep_overlap_* "
    "model.external_cuda_graph model.finalize_* model.first_last_layers_bf16 "
    "model.flash_decode model.fp16_lm_cross_entropy model.fp4_* "
    "model.fp8_* model.fused_* model.gated_linear_unit model.glu_linear_offset model.grad* "
    "model.hetereogenous_* model.hf_model_id model.inference_* model.init_* model.kitchen_* "
    "model.layernorm_* model.linear_* model.log_* model.mamba_* model.masked_* "
    "model.max_seqlen_* model.memory_efficient_* model.microbatch_group_* "
    "model.min_offloaded_tensor_size model.mla_* model.mlp_* model.moe_* model.mrope_section "
    "model.mscale* model.mtp_* model.mup_* model.nccl_* model.no_* model.num_layers_at_* "
    "model.num_microbatches_* model.offload_modules model.original_* "
    "model.output_layer_init_method model.overlap_p2p_* model.parallel_output model.param* "
    "model.perform_initialization model.persist_layer_norm model.pipeline_dtype "
    "model.pipeline_model_parallel_comm_backend model.qk_clip* model.qk_l2_norm "
    "model.restore_modelopt_state model.rope_* model.rotary_* "
    "model.scatter_* model.seq_len_* model.share_* model.should_pad_vocab model.softmax_* "
    "model.symmetric_* model.test_mode model.timers model.tp_* model.transformer_layer_spec* "
    "model.use_* model.wgrad_* model.yarn_* "
    "model.position_embedding_* model.pipeline_model_parallel_layout";

}  // namespace orrery::bridge
