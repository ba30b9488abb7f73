// SPDX-License-Identifier: Apache-2.0
//
// Megatron-LM's arguments (NVIDIA/Megatron-LM@d98e8a6, training/arguments.py,
// core/transformer/transformer_config.py and core/model_parallel_config.py) beside our keys. Names
// are argparse's destinations; a flag has dashes for underscores. Settings without a row
// (activation, biases, precision, recompute, optimizer sharding, layout, world size) are read and
// written by import.cpp and export.cpp.
#pragma once

#include <array>

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
    NameRow{"untie_embeddings_and_output_weights", "model.tie_word_embeddings", NameKind::negated},
    NameRow{"qk_layernorm", "model.qk_norm", NameKind::flag},
    NameRow{"mtp_num_layers", "model.num_nextn_predict_layers"},
};

// For mixtures of experts: only beside num_experts.
inline constexpr std::array kExpertRows = {
    NameRow{"num_experts", "model.num_local_experts"},
    NameRow{"moe_router_topk", "model.num_experts_per_tok"},
    NameRow{"moe_ffn_hidden_size", "model.moe_intermediate_size"},
    NameRow{"moe_shared_expert_intermediate_size", "model.moe_shared_expert_intermediate_size"},
    NameRow{"moe_expert_capacity_factor", "model.moe_expert_capacity_factor", NameKind::number},
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

// Switches of our profile megatron-core by the same names; absent they are off.
inline constexpr std::array kSwitchRows = {
    NameRow{"overlap_grad_reduce", "parallel.framework_options.overlap_grad_reduce",
            NameKind::flag},
    NameRow{"overlap_param_gather", "parallel.framework_options.overlap_param_gather",
            NameKind::flag},
    NameRow{"tp_comm_overlap", "parallel.framework_options.tp_comm_overlap", NameKind::flag},
};

// Model states (memory/recipe.h) with gradients kept in fp32, and in the fp16 of the computation:
// 18 and 20 bytes a parameter, docs/source/api-guide/dist_optimizer.md.
inline constexpr std::string_view kFp32Gradients = "adam-fp32-gradients-18";
inline constexpr std::string_view kFp16Gradients = "adam-fp16-gradients-20";

inline constexpr std::array<std::string_view, 3> kContextTypes = {"p2p", "allgather", "a2a"};
inline constexpr std::array<std::string_view, 2> kSchedules = {"1f1b", "interleaved"};
inline constexpr std::array<std::string_view, 3> kDispatchers = {"alltoall", "flex", "allgather"};
inline constexpr std::array<std::string_view, 2> kGranularities = {"selective", "full"};
inline constexpr std::array<std::string_view, 4> kSharding = {"no_shard", "optim", "optim_grads",
                                                              "optim_grads_params"};

// Settings without effect here: data, checkpoints, learning rate, logging, seeds, and kernels that
// our profile already has. A name that ends in * stands for all that begin so.
inline constexpr std::string_view kWithoutEffect[] = {
    "adam_*",
    "lr",
    "lr_*",
    "min_lr",
    "weight_decay",
    "weight_decay_*",
    "start_weight_decay",
    "end_weight_decay",
    "clip_grad",
    "seed",
    "data_path",
    "data_cache_path",
    "data_impl",
    "split",
    "train_data_path",
    "valid_data_path",
    "test_data_path",
    "mock_data",
    "num_workers",
    "vocab_file",
    "merge_file",
    "tokenizer_*",
    "tokenizer_model",
    "save",
    "save_interval",
    "load",
    "ckpt_format",
    "ckpt_*",
    "async_save",
    "dist_ckpt_*",
    "use_dist_ckpt",
    "no_load_*",
    "no_save_*",
    "exit_*",
    "eval_*",
    "log_*",
    "wandb_*",
    "tensorboard_*",
    "timing_log_level",
    "timing_log_option",
    "init_method_std",
    "init_method_xavier_uniform",
    "norm_epsilon",
    "layernorm_epsilon",
    "rotary_*",
    "use_rotary_position_embeddings",
    "no_rope_fusion",
    "rope_type",
    "mscale",
    "mscale_all_dim",
    "original_max_position_embeddings",
    "distributed_backend",
    "distributed_timeout_minutes",
    "node_rank",
    "master_addr",
    "master_port",
    "rdzv_*",
    "local_rank",
    "log_dir",
    "tee",
    "role",
    "max_restarts",
    "standalone",
    "monitor_interval",
    "manual_gc",
    "manual_gc_*",
    "use_mcore_models",
    "use_legacy_models",
    "attention_softmax_in_fp32",
    "moe_grouped_gemm",
    "no_gradient_accumulation_fusion",
    "no_masked_softmax_fusion",
    "hysteresis",
    "loss_scale",
    "loss_scale_window",
    "initial_loss_scale",
    "min_loss_scale",
    "moe_router_load_balancing_type",
    "moe_aux_loss_coeff",
    "moe_z_loss_coeff",
    "moe_router_score_function",
    "moe_router_topk_scaling_factor",
    "moe_router_bias_update_rate",
    "moe_router_dtype",
    "moe_per_layer_logging",
    "mtp_loss_scaling_factor",
    "override_opt_param_scheduler",
};

}  // namespace orrery::megatron
