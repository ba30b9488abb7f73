// SPDX-License-Identifier: Apache-2.0
//
// Keys of an experiment of NeMo 2, as nemo-run writes it, beside Megatron-LM's names. The later
// ones go over the earlier ones. Keys without a row that move a number are Megatron-Core's own.
#pragma once

#include <array>

#include "exchange/flat.h"

namespace orrery::nemo {

inline constexpr std::array kNames2 = {
    NamedPath{"model.config.fp8", "fp8_format"},
    NamedPath{"model.config.fp8_recipe", "fp8_recipe"},
    NamedPath{"model.config.fp8_param", "fp8_param_gather"},
    NamedPath{"model.config.fp4", "fp4_format"},
    NamedPath{"model.config.first_last_layers_bf16", "first_last_layers_bf16"},
    NamedPath{"data.rampup_batch_size", "rampup_batch_size"},
    NamedPath{"data.seq_length", "seq_length"},
    NamedPath{"data.micro_batch_size", "micro_batch_size"},
    NamedPath{"data.global_batch_size", "global_batch_size"},
    NamedPath{"trainer.max_steps", "train_iters"},
    NamedPath{"trainer.devices", "nproc_per_node"},
    NamedPath{"trainer.num_nodes", "nnodes"},
    NamedPath{"trainer.strategy.tensor_model_parallel_size", "tensor_model_parallel_size"},
    NamedPath{"trainer.strategy.pipeline_model_parallel_size", "pipeline_model_parallel_size"},
    NamedPath{"trainer.strategy.virtual_pipeline_model_parallel_size",
              "num_virtual_stages_per_pipeline_rank"},
    NamedPath{"trainer.strategy.context_parallel_size", "context_parallel_size"},
    NamedPath{"trainer.strategy.expert_model_parallel_size", "expert_model_parallel_size"},
    NamedPath{"trainer.strategy.expert_tensor_parallel_size", "expert_tensor_parallel_size"},
    NamedPath{"trainer.strategy.sequence_parallel", "sequence_parallel"},
    NamedPath{"trainer.strategy.use_tp_pp_dp_mapping", "use_tp_pp_dp_mapping"},
    NamedPath{"model.config.gradient_accumulation_fusion", "gradient_accumulation_fusion"},
    NamedPath{"trainer.strategy.ddp.overlap_grad_reduce", "overlap_grad_reduce"},
    NamedPath{"trainer.strategy.ddp.overlap_param_gather", "overlap_param_gather"},
    NamedPath{"trainer.strategy.ddp.use_distributed_optimizer", "use_distributed_optimizer"},
    NamedPath{"trainer.strategy.ddp.grad_reduce_in_fp32", "accumulate_allreduce_grads_in_fp32"},
    NamedPath{"trainer.strategy.ddp.data_parallel_sharding_strategy",
              "data_parallel_sharding_strategy"},
    NamedPath{"trainer.strategy.ddp.use_megatron_fsdp", "use_megatron_fsdp"},
    NamedPath{"trainer.strategy.ddp.use_custom_fsdp", "use_megatron_fsdp"},
    NamedPath{"trainer.strategy.ddp.num_distributed_optimizer_instances",
              "num_distributed_optimizer_instances"},
    NamedPath{"trainer.strategy.ddp.outer_dp_sharding_strategy", "outer_dp_sharding_strategy"},
    NamedPath{"optim.config.optimizer", "optimizer"},
    NamedPath{"optim.config.optimizer_cpu_offload", "optimizer_cpu_offload"},
    NamedPath{"optim.config.optimizer_offload_fraction", "optimizer_offload_fraction"},
    NamedPath{"optim.config.use_distributed_optimizer", "use_distributed_optimizer"},
    NamedPath{"optim.config.use_precision_aware_optimizer", "use_precision_aware_optimizer"},
    NamedPath{"optim.config.main_grads_dtype", "main_grads_dtype"},
    NamedPath{"optim.config.store_param_remainders", "store_param_remainders"},
    NamedPath{"optim.config.main_params_dtype", "main_params_dtype"},
    NamedPath{"optim.config.exp_avg_dtype", "exp_avg_dtype"},
    NamedPath{"optim.config.exp_avg_sq_dtype", "exp_avg_sq_dtype"},
    NamedPath{"trainer.plugins.grad_reduce_in_fp32", "accumulate_allreduce_grads_in_fp32"},
    NamedPath{"trainer.plugins.fp8", "fp8_format"},
    NamedPath{"trainer.plugins.fp8_recipe", "fp8_recipe"},
    NamedPath{"trainer.plugins.fp4", "fp4_format"},
    NamedPath{"trainer.plugins.first_last_layers_bf16", "first_last_layers_bf16"},
    NamedPath{"trainer.plugins.num_layers_at_start_in_bf16", "num_layers_at_start_in_bf16"},
    NamedPath{"trainer.plugins.num_layers_at_end_in_bf16", "num_layers_at_end_in_bf16"},
    NamedPath{"trainer.plugins.fp8_params", "fp8_param_gather"},
    NamedPath{"trainer.plugins.fp8_param_gather", "fp8_param_gather"},
};

inline constexpr std::string_view kWithoutEffect2 =
    "_target_ _partial_ log.* resume.* tokenizer.* peft.* data.* optim._target_ "
    "optim.lr_scheduler.* optim.no_weight_decay_cond* optim.scale_lr_cond* optim.lr_mult "
    "optim.config._target_ optim.config.lr optim.config.min_lr optim.config.weight_decay "
    "optim.config.adam_* optim.config.clip_grad optim.config.bf16 optim.config.fp16 "
    "optim.config.params_dtype optim.config.log_* optim.config.sgd_momentum "
    "optim.config.barrier_with_* optim.config.timers optim.config.loss_scale* "
    "optim.config model model.config model._target_ model.tokenizer.* model.optim.* "
    "model.model_transform* "
    "trainer._target_ trainer.accelerator trainer.callbacks trainer.limit_* trainer.log_* "
    "trainer.logger* trainer.max_* trainer.min_* trainer.val_* trainer.check_val_* "
    "trainer.num_sanity_* trainer.enable_* trainer.use_distributed_sampler "
    "trainer.gradient_clip_* trainer.precision trainer.strategy trainer.default_root_dir "
    "trainer.deterministic trainer.benchmark trainer.profiler* trainer.detect_anomaly "
    "trainer.inference_mode trainer.sync_batchnorm trainer.fast_dev_run trainer.barebones "
    "trainer.plugins trainer.plugins._target_ trainer.plugins.precision "
    "trainer.plugins.autocast_* trainer.plugins.*dtype trainer.plugins.fp8_* "
    "trainer.plugins.fp16_* trainer.plugins.loss_scale* trainer.plugins.*loss_scale "
    "trainer.plugins.growth_* trainer.plugins.hysteresis trainer.plugins.fp4_recipe "
    "trainer.strategy.ckpt_* trainer.strategy.pipeline_dtype trainer.strategy.gradient_* "
    "trainer.strategy.restore_* trainer.strategy.save_* trainer.strategy._target_ "
    "trainer.strategy.fsdp trainer.strategy.ddp trainer.strategy.ddp._target_ "
    "trainer.strategy.ddp.average_in_collective trainer.strategy.ddp.check_for_* "
    "trainer.strategy.ddp.bucket_size trainer.strategy.ddp.pad_* "
    "trainer.strategy.ddp.gradient_reduce_div_fusion trainer.strategy.ddp.nccl_ub "
    "trainer.strategy.ddp.preserve_* trainer.strategy.ddp.align_* "
    "trainer.strategy.parallel_* trainer.strategy.progress_* trainer.strategy.find_unused_* "
    "trainer.strategy.setup_* trainer.strategy.replace_* trainer.strategy.use_te_rng_tracker "
    "trainer.strategy.async_save trainer.strategy.lazy_init trainer.strategy.nccl_* "
    "trainer.strategy.model_comm_pgs trainer.strategy.ddp_* model.config._target_ "
    "model.config.*dtype model.config.fp8_* model.config.transformer_layer_* "
    "model.config.data_step_fn* model.config.forward_step_fn* model.config.init_* "
    "model.config.rotary_* model.config.*_fusion model.config.layernorm_* "
    "model.config.seq_len_interpolation_factor model.config.gated_linear_unit "
    "model.config.activation_func* model.config.share_embeddings_and_output_weights "
    "model.config.attention_backend* model.config.scale_factor model.config.low_freq_factor "
    "model.config.high_freq_factor model.config.old_context_len model.config.deallocate_* "
    "model.config.parallel_output model.config.fp16_* model.config.bf16 model.config.fp16";

// Defaults of a class where its experiment says nothing, beside Megatron-Core's [from memory].
struct ModelClass {
  std::string_view name;  // of the class
  std::string_view says;  // settings of Megatron-LM, with blanks between
};
inline constexpr std::array kModelClasses = {
    ModelClass{"GPTConfig", ""},
    ModelClass{
        "LlamaConfig",
        "normalization=RMSNorm swiglu=true position_embedding_type=rope add_bias_linear=false "
        "attention_dropout=0 hidden_dropout=0 untie_embeddings_and_output_weights=true"},
    ModelClass{
        "MistralConfig",
        "normalization=RMSNorm swiglu=true position_embedding_type=rope add_bias_linear=false "
        "attention_dropout=0 hidden_dropout=0 untie_embeddings_and_output_weights=true"},
    ModelClass{
        "MixtralConfig",
        "normalization=RMSNorm swiglu=true position_embedding_type=rope add_bias_linear=false "
        "attention_dropout=0 hidden_dropout=0 untie_embeddings_and_output_weights=true "
        "num_experts=8 moe_router_topk=2"},
    ModelClass{
        "Qwen2Config",
        "normalization=RMSNorm swiglu=true position_embedding_type=rope add_bias_linear=false "
        "add_qkv_bias=true attention_dropout=0 hidden_dropout=0 "
        "untie_embeddings_and_output_weights=true"},
    ModelClass{
        "GemmaConfig",
        "normalization=RMSNorm geglu=true position_embedding_type=rope add_bias_linear=false "
        "kv_channels=256 attention_dropout=0 hidden_dropout=0 "
        "untie_embeddings_and_output_weights=false"},
    ModelClass{"NemotronConfig",
               "normalization=LayerNorm squared_relu=true position_embedding_type=rope "
               "add_bias_linear=false attention_dropout=0 hidden_dropout=0 "
               "untie_embeddings_and_output_weights=true"},
};

// Functions of an MLP, by the last part of their names, with a gate and without one.
struct Function {
  std::string_view name;
  std::string_view gated;
  std::string_view plain;
};
inline constexpr std::array kFunctions = {
    Function{"silu", "swiglu", ""},
    Function{"swish", "swiglu", ""},
    Function{"gelu", "geglu", "gelu"},
    Function{"openai_gelu", "geglu", "gelu"},
    Function{"fast_gelu", "geglu", "gelu"},
    Function{"quick_gelu", "quick_geglu", "gelu"},
    Function{"squared_relu", "", "squared_relu"},
    Function{"relu", "", "relu"},
};

// Callbacks, by parts of their names, that move no number.
inline constexpr std::string_view kCallbacks[] = {
    "Timing",        "CommOverlap",    "GarbageCollection",
    "Nsys",          "Preemption",     "Checkpoint",
    "LearningRate",  "FLOPs",          "MemoryProfile",
    "Progress",      "Profiler",       "Parity",
    "EarlyStopping", "Straggler",      "FaultTolerance",
    "Experimental",  "ModelTransform", "Logger",
    "Monitor"};

}  // namespace orrery::nemo
