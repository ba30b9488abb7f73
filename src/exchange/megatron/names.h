// SPDX-License-Identifier: Apache-2.0
//
// Megatron-LM's arguments (NVIDIA/Megatron-LM@d98e8a6, training/arguments.py,
// core/transformer/transformer_config.py and core/model_parallel_config.py) beside our keys. Names
// are argparse's destinations; a flag has dashes for underscores. Settings without a row
// (activation, biases, precision, recompute, optimizer sharding, layout, world size) are read and
// written by code.
#pragma once

#include <array>

#include "exchange/megatron/without_effect.h"
#include "exchange/settings.h"

namespace orrery::megatron {

inline constexpr std::array kModelRows = {
    NameRow{"num_layers", "model.num_hidden_layers"},
    NameRow{"hidden_size", "model.hidden_size"},
    NameRow{"ffn_hidden_size", "model.intermediate_size"},
    NameRow{"num_attention_heads", "model.num_attention_heads"},
    NameRow{"kv_channels", "model.head_dim"},
    NameRow{"max_position_embeddings", "model.max_position_embeddings"},
    NameRow{"vocab_size", "model.vocab_size"},
    NameRow{"rotary_base", "model.rope_theta"},
    NameRow{"untie_embeddings_and_output_weights", "model.tie_word_embeddings", NameKind::negated},
    NameRow{"qk_layernorm", "model.qk_norm", NameKind::flag},
    NameRow{"embed_layernorm", "model.embedding_norm", NameKind::flag},
    NameRow{"mtp_num_layers", "model.num_nextn_predict_layers"},
};

// For mixtures of experts: only beside num_experts.
inline constexpr std::array kExpertRows = {
    NameRow{"num_experts", "model.num_local_experts"},
    NameRow{"moe_router_topk", "model.num_experts_per_tok"},
    NameRow{"moe_router_num_groups", "model.n_group"},
    NameRow{"moe_router_group_topk", "model.topk_group"},
    NameRow{"moe_ffn_hidden_size", "model.moe_intermediate_size"},
    NameRow{"moe_shared_expert_intermediate_size", "model.moe_shared_expert_intermediate_size"},
    NameRow{"moe_expert_capacity_factor", "model.moe_expert_capacity_factor", NameKind::number},
    NameRow{"moe_latent_size", "model.moe_latent_size"},
    NameRow{"moe_router_enable_expert_bias", "model.router_correction_bias", NameKind::flag},
};

// Only beside multi_latent_attention.
inline constexpr std::array kLatentRows = {
    NameRow{"q_lora_rank", "model.q_lora_rank"},
    NameRow{"kv_lora_rank", "model.kv_lora_rank"},
    NameRow{"qk_head_dim", "model.qk_nope_head_dim"},
    NameRow{"qk_pos_emb_head_dim", "model.qk_rope_head_dim"},
    NameRow{"v_head_dim", "model.v_head_dim"},
};

inline constexpr std::array kTrainingRows = {
    NameRow{"seq_length", "training.sequence_length"},
    NameRow{"global_batch_size", "training.global_batch"},
    NameRow{"micro_batch_size", "training.micro_batch"},
};

inline constexpr std::array kParallelRows = {
    NameRow{"tensor_model_parallel_size", "parallel.tp", NameKind::degree},
    NameRow{"pipeline_model_parallel_size", "parallel.pp", NameKind::degree},
    NameRow{"context_parallel_size", "parallel.cp", NameKind::degree},
    NameRow{"expert_model_parallel_size", "parallel.ep", NameKind::degree},
    NameRow{"expert_tensor_parallel_size", "parallel.etp", NameKind::degree},
    NameRow{"sequence_parallel", "parallel.sequence_parallel", NameKind::flag},
};

// Switches of our profile megatron-core by the same names; absent they are off, but for gradients
// that products add to their sum, which are the profile's.
inline constexpr std::array kSwitchRows = {
    NameRow{"overlap_grad_reduce", "parallel.framework_options.overlap_grad_reduce",
            NameKind::flag},
    NameRow{"overlap_param_gather", "parallel.framework_options.overlap_param_gather",
            NameKind::flag},
    NameRow{"tp_comm_overlap", "parallel.framework_options.tp_comm_overlap", NameKind::flag},
    NameRow{"gradient_accumulation_fusion",
            "parallel.framework_options.gradient_accumulation_fusion", NameKind::flag},
    NameRow{"no_gradient_accumulation_fusion",
            "parallel.framework_options.gradient_accumulation_fusion", NameKind::negated},
};

// Names of other versions and forks, of pretrain.py's launchers, and of the configuration's fields.
struct Rename {
  std::string_view theirs;
  std::string_view ours;  // Megatron-LM's of today
};
inline constexpr std::array kRenames = {
    Rename{"model_parallel_size", "tensor_model_parallel_size"},
    Rename{"intra_layer_model_parallel_size", "tensor_model_parallel_size"},
    Rename{"pipe_parallel_size", "pipeline_model_parallel_size"},
    Rename{"inter_layer_model_parallel_size", "pipeline_model_parallel_size"},
    Rename{"batch_size", "micro_batch_size"},
    Rename{"num_moe_experts", "num_experts"},
    Rename{"moe_num_experts", "num_experts"},  // MegaBlocks
    Rename{"moe_top_k", "moe_router_topk"},
    Rename{"topk", "moe_router_topk"},
    Rename{"moe_expert_parallel_size", "expert_model_parallel_size"},
    Rename{"expert_parallel_size", "expert_model_parallel_size"},
    Rename{"fp8", "fp8_format"},
    Rename{"fp8_hybrid", "fp8_format"},
    Rename{"fp8_e4m3", "fp8_format"},
    Rename{"fp4", "fp4_format"},
    Rename{"checkpoint_num_layers", "recompute_num_layers"},
    Rename{"activations_checkpoint_granularity", "recompute_granularity"},
    Rename{"activations_checkpoint_method", "recompute_method"},
    Rename{"activations_checkpoint_num_layers", "recompute_num_layers"},
    Rename{"checkpoint_activations_granularity", "recompute_granularity"},
    Rename{"use_fused_sdpa", "use_flash_attn"},
    Rename{"checkpoint_in_cpu", "cpu_checkpointing"},
    Rename{"warmup", "lr_warmup_fraction"},
    Rename{"pad_vocab_size_to", "padded_vocab_size"},
    Rename{"use_flash_attn_v2", "use_flash_attn"},
    Rename{"use_flash_attn_triton", "use_flash_attn"},
    Rename{"use_flash_attn_builder", "use_flash_attn"},
    Rename{"use_flash_attn_v3", "use_flash_attn"},
    Rename{"num_nextn_predict_layers", "mtp_num_layers"},
    Rename{"moe_layer_recompute", "recompute_moe_layer"},
    Rename{"overlapped_distributed_optimizer", "use_distributed_optimizer"},  // of forks
    Rename{"num_layers_in_first_pipeline_stage", "decoder_first_pipeline_num_layers"},
    Rename{"num_layers_in_last_pipeline_stage", "decoder_last_pipeline_num_layers"},
    Rename{"nproc_per_node", "nproc_per_node"},
    Rename{"num_gpus", "nproc_per_node"},
    Rename{"gpus_per_node", "nproc_per_node"},
    Rename{"num_nodes", "nnodes"},
    Rename{"num_processes", "WORLD_SIZE"},
    Rename{"ds_sequence_parallel_size", "context_parallel_size"},
};

// Our keys of settings without a row, for values that only a running shell knows.
inline constexpr std::array kOtherKeys = {
    Rename{"bf16", "training.precision"},
    Rename{"fp16", "training.precision"},
    Rename{"fp8_format", "training.precision"},
    Rename{"fp8_recipe", "training.precision"},
    Rename{"fp4_format", "training.precision"},
    Rename{"optimizer", "training.optimizer"},
    Rename{"main_grads_dtype", "training.states"},
    Rename{"exp_avg_dtype", "training.states"},
    Rename{"exp_avg_sq_dtype", "training.states"},
    Rename{"num_query_groups", "model.num_key_value_heads"},
    Rename{"nproc_per_node", "cluster.gpus"},
    Rename{"nnodes", "cluster.gpus"},
    Rename{"WORLD_SIZE", "cluster.gpus"},
    Rename{"zero_stage", "parallel.zero"},
    Rename{"data_parallel_sharding_strategy", "parallel.zero"},
    Rename{"recompute_granularity", "parallel.recompute"},
    Rename{"recompute_modules", "parallel.recompute_modules"},
    Rename{"recompute_method", "parallel.recompute_method"},
    Rename{"recompute_num_layers", "parallel.recompute_layers"},
    Rename{"num_layers_per_virtual_pipeline_stage", "parallel.vpp"},
    Rename{"num_virtual_stages_per_pipeline_rank", "parallel.vpp"},
    Rename{"virtual_pipeline_model_parallel_size", "parallel.vpp"},
    Rename{"pipeline_model_parallel_layout", "parallel.stage_layers"},
    Rename{"cp_comm_type", "parallel.cp_type"},
    Rename{"moe_token_dispatcher_type", "parallel.framework_options.dispatcher"},
    Rename{"moe_layer_freq", "model.moe_layer_freq"},
    Rename{"use_distributed_optimizer", "parallel.zero"},
    Rename{"use_megatron_fsdp", "parallel.zero"},
    Rename{"use_torch_fsdp2", "parallel.zero"},
    Rename{"recompute_activations", "parallel.recompute"},
    Rename{"checkpoint_activations", "parallel.recompute"},
    Rename{"optimizer_cpu_offload", "parallel.offload"},
    Rename{"accumulate_allreduce_grads_in_fp32", "training.states"},
    Rename{"grad_reduce_in_bf16", "training.states"},
    Rename{"use_flash_attn", "training.flash_attention"},
    Rename{"attention_backend", "training.flash_attention"},
    Rename{"swiglu", "model.hidden_act"},
    Rename{"squared_relu", "model.hidden_act"},
    Rename{"xielu", "model.hidden_act"},
    Rename{"quick_geglu", "model.hidden_act"},
    Rename{"normalization", "model.norm"},
    Rename{"position_embedding_type", "model.position_embedding"},
    Rename{"group_query_attention", "model.num_key_value_heads"},
    Rename{"attention_dropout", "model.dropout"},
    Rename{"hidden_dropout", "model.dropout"},
    Rename{"glu_activation", "model.hidden_act"},
    Rename{"reglu", "model.hidden_act"},
    Rename{"attention_head_type", "model.num_key_value_heads"},
    Rename{"encoder_num_layers", "model.num_hidden_layers"},
    Rename{"attention_output_gate", "model.attention_gate_dim"},
    Rename{"context_parallel_algo", "parallel.cp_type"},
};

// Flags, which take no value: "$MORE_ARGS" behind one is another argument.
inline constexpr std::array<std::string_view, 45> kFlags = {"sequence_parallel",
                                                            "embed_layernorm",
                                                            "is_hybrid_model",
                                                            "cpu_optimizer",
                                                            "use_distributed_optimizer",
                                                            "swiglu",
                                                            "quick_geglu",
                                                            "squared_relu",
                                                            "xielu",
                                                            "disable_bias_linear",
                                                            "untie_embeddings_and_output_weights",
                                                            "bf16",
                                                            "fp16",
                                                            "recompute_activations",
                                                            "checkpoint_activations",
                                                            "overlap_grad_reduce",
                                                            "overlap_param_gather",
                                                            "tp_comm_overlap",
                                                            "use_flash_attn",
                                                            "group_query_attention",
                                                            "multi_latent_attention",
                                                            "qk_layernorm",
                                                            "add_qkv_bias",
                                                            "use_megatron_fsdp",
                                                            "use_torch_fsdp2",
                                                            "partition_activations",
                                                            "cpu_checkpointing",
                                                            "deepspeed",
                                                            "mock_data",
                                                            "fp8_param_gather",
                                                            "optimizer_cpu_offload",
                                                            "use_precision_aware_optimizer",
                                                            "use_tp_pp_dp_mapping",
                                                            "use_checkpoint_args",
                                                            "attention_output_gate",
                                                            "distribute_saved_activations",
                                                            "moe_grouped_gemm",
                                                            "moe_permute_fusion",
                                                            "accumulate_allreduce_grads_in_fp32",
                                                            "deepspeed_activation_checkpointing",
                                                            "synchronize_each_layer",
                                                            "enable_cuda_graph",
                                                            "external_cuda_graph",
                                                            "no_overlap_p2p_communication",
                                                            "no_gradient_accumulation_fusion"};

// Settings that move memory or time a little, and have no key.
inline constexpr std::array kNotModelled = {
    SettingNote{"fp8_param_gather", "weights are gathered in 16 bits here"},
    SettingNote{"fp8_param", "weights are kept in 16 bits here"},
    SettingNote{"defer_embedding_wgrad_compute", "computed in its place here"},
    SettingNote{"delay_wgrad_compute", "computed in its place here"},
    SettingNote{"overlap_moe_expert_parallel_comm", "--set parallel.overlap.ep says it"},
    SettingNote{"moe_shared_expert_overlap", "the shared expert runs after the exchange here"},
    SettingNote{"overlap_param_gather_with_optimizer_step", "weights are gathered later here"},
    SettingNote{"align_param_gather", "stages gather when they need to here"},
    SettingNote{"first_last_layers_bf16", "all layers are of one precision here"},
    SettingNote{"num_layers_at_start_in_bf16", "all layers are of one precision here"},
    SettingNote{"num_layers_at_end_in_bf16", "all layers are of one precision here"},
    SettingNote{"ddp_num_buckets", "the profile's buckets are used"},
    SettingNote{"ddp_bucket_size", "the profile's buckets are used"},
    SettingNote{"zero_*bucket_size", "the profile's buckets are used"},
    SettingNote{"keep_fp8_transpose_cache*", "the profile's fp8 memory is used"},
    SettingNote{"no_fp8_weight_transpose_cache", "the profile's fp8 memory is used"},
    SettingNote{"fsdp_double_buffer", "the profile's buffers are used"},
    SettingNote{"grad_reduce_in_bf16", "gradients travel as training.states says"},
    SettingNote{"megatron_fsdp_grad_comm_dtype", "gradients travel as training.states says"},
    SettingNote{"megatron_fsdp_main_grads_dtype", "--set training.states={…} says it"},
    SettingNote{"reduce_scatter_with_fp32_accumulation", "gradients are reduced by the profile"},
    SettingNote{"moe_pad_expert_input_to_capacity", "no --moe-expert-capacity-factor beside it"},
    SettingNote{"memory_centric_tiled_linear", "layers are not tiled here"},
    SettingNote{"tile_factor", "layers are not tiled here"},
    SettingNote{"muon_num_ns_steps", "an update has five of them here"},
    SettingNote{"rampup_batch_size", "the batch is the last one here"},
    SettingNote{"curriculum_learning*", "sequences are of the full length here"},
    SettingNote{"data_efficiency_curriculum_learning", "sequences are of the full length here"},
    SettingNote{"random_ltd", "every layer sees every token here"},
    SettingNote{"step_batch_size_schedule", "the batch is the last one here"},
    SettingNote{"use_turbo_*", "the profile's kernels are used"},
    SettingNote{"enable_primus_turbo", "the profile's kernels are used"},
    SettingNote{"turbo_*", "the profile's kernels are used"},
    SettingNote{"moe_use_legacy_grouped_gemm", "the profile's kernels are used"},
    SettingNote{"reuse_grad_buf_for_mxfp8_param_ag", "gathered weights have a buffer of their own"},
    SettingNote{"microbatch_group_size_per_v*", "micro batches go round in groups of pp here"},
    SettingNote{"overlap_p2p_communication_warmup_flush",
                "the schedule's messages are hidden here"},
    SettingNote{"moe_use_fused_router_with_aux_score", "the profile's kernels are used"},
};

// Model states (memory/recipe.h) with gradients kept in fp32, and in the fp16 of the computation:
// 18 and 20 bytes a parameter, docs/source/api-guide/dist_optimizer.md.
inline constexpr std::string_view kFp32Gradients = "adam-fp32-gradients-18";
inline constexpr std::string_view kFp16Gradients = "adam-fp16-gradients-20";

inline constexpr std::array<std::string_view, 3> kContextTypes = {"p2p", "all_gather", "a2a"};
inline constexpr std::array<std::string_view, 2> kSchedules = {"1f1b", "interleaved"};
inline constexpr std::array<std::string_view, 3> kDispatchers = {"alltoall", "flex", "allgather"};
inline constexpr std::array<std::string_view, 2> kGranularities = {"selective", "full"};
inline constexpr std::array<std::string_view, 4> kSharding = {"no_shard", "optim", "optim_grads",
                                                              "optim_grads_params"};

}  // namespace orrery::megatron
