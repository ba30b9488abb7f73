// SPDX-License-Identifier: Apache-2.0
//
// Keys of NeMo 1's YAML (NeMo-Framework-Launcher 24.x) beside Megatron-LM's names. Keys of [model]
// without a row are Megatron-LM's own.
#pragma once

#include <array>

#include "exchange/flat.h"

namespace orrery::nemo {

inline constexpr std::array kNames = {
    NamedPath{"model.encoder_seq_length", "seq_length"},
    NamedPath{"model.override_vocab_size", "vocab_size"},
    NamedPath{"model.num_moe_experts", "num_experts"},
    NamedPath{"model.virtual_pipeline_model_parallel_size", "num_virtual_stages_per_pipeline_rank"},
    NamedPath{"model.activations_checkpoint_granularity", "recompute_granularity"},
    NamedPath{"model.activations_checkpoint_method", "recompute_method"},
    NamedPath{"model.activations_checkpoint_num_layers", "recompute_num_layers"},
    NamedPath{"model.ub_tp_comm_overlap", "tp_comm_overlap"},
    NamedPath{"model.gradient_accumulation_fusion", "gradient_accumulation_fusion"},
    NamedPath{"model.bias", "add_bias_linear"},
    NamedPath{"model.moe_expert_capacity_factor", "moe_expert_capacity_factor"},
    NamedPath{"model.moe_pad_expert_input_to_capacity", "moe_pad_expert_input_to_capacity"},
    NamedPath{"model.optim.overlap_grad_sync", "overlap_grad_reduce"},
    NamedPath{"model.optim.overlap_param_sync", "overlap_param_gather"},
    NamedPath{"model.cpu_offloading", "cpu_offloading"},
    NamedPath{"model.fp8_params", "fp8_param_gather"},
    NamedPath{"trainer.max_steps", "train_iters"},
};

// Kinds of `model.activation`, which are flags there.
inline constexpr std::array kActivations = {
    NamedPath{"swiglu", "swiglu"},     NamedPath{"fast-swiglu", "swiglu"},
    NamedPath{"geglu", "geglu"},       NamedPath{"fast-geglu", "geglu"},
    NamedPath{"quick-geglu", "geglu"}, NamedPath{"squared-relu", "squared_relu"},
    NamedPath{"reglu", "reglu"},       NamedPath{"relu", "relu"},
};

// Parts of the names of models that are no decoder of the keys of [model].
inline constexpr std::string_view kOtherModels[] = {
    "bert", "t5", "clip", "vit", "neva", "griffin", "mamba", "retro", "diffusion", "imagen"};

inline constexpr std::string_view kWithoutEffect =
    "run.* exp_manager.* hydra.* cluster_type defaults training_config model.optim.lr "
    "model.optim.betas model.optim.weight_decay model.optim.sched.* model.optim.bucket_cap_mb "
    "model.optim.dtype model.optim.contiguous_* model.optim.eps model.optim.nccl_ub "
    "model.data.* model.tokenizer.* model.nsys_profile.* model.init_method_std "
    "model.use_scaled_init_method model.ffn_dropout model.layernorm_epsilon "
    "model.do_layer_norm_weight_decay model.pre_process model.post_process "
    "model.persist_layer_norm model.headscale model.transformer_block_type model.openai_gelu "
    "model.normalize_attention_scores model.rotary_* model.attention_type model.native_amp_* "
    "model.hysteresis model.fp16_lm_cross_entropy "
    "model.megatron_amp_O2 model.grad_allreduce_chunk_size_mb model.grad_div_ar_fusion "
    "model.*_fusion model.seed model.resume_from_checkpoint model.use_cpu_initialization "
    "model.onnx_safe model.apex_transformer_log_level model.gradient_as_bucket_view "
    "model.sync_batch_comm "
    "model.batch_p2p_comm model.sharp model.mcore_gpt "
    "model.transformer_engine model.fp8_e4m3 model.fp8_hybrid model.fp8_margin "
    "model.fp8_interval model.fp8_amax_* model.fp8_wgrad model.reduce_amax model.use_emha "
    "model.ub_tp_comm_overlap_cfg model.gc_interval model.wgrad_deferral_limit "
    "model.seq_len_interpolation_factor model.mcore_customization_config.* model.precision "
    "model.get_attention_mask_from_fusion model.moe_*_coeff model.moe_grouped_gemm "
    "model.dist_ckpt_* model.deterministic_mode model.deteministic_mode model.name "
    "model.restore_from_path model.restore_from_ckpt model.megatron_timer_kwargs.* "
    "model.answer_only_loss model.save_nemo_on_validation_end model.hidden_dropout_* "
    "model.apply_query_key_layer_scaling model.layernorm_zero_centered_gamma "
    "model.nccl_communicator_config_path model.use_te_rng_tracker model.external_cuda_graph_* "
    "model.fsdp_sharding_strategy model.fsdp_grad_reduce_dtype model.fsdp_sharded_checkpoint "
    "trainer.* name s3_checkpointing.* model.ub_tp_comm_overlap_cfg*";

}  // namespace orrery::nemo
