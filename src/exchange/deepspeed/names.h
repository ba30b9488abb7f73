// SPDX-License-Identifier: Apache-2.0
//
// DeepSpeed's JSON (deepspeedai/DeepSpeed@edaa722, runtime/config.py and runtime/zero/config.py)
// beside our keys. Settings without a row (batches, precision, offload) are read and written by
// import.cpp and export.cpp. In DeepSpeed the training script sets model,
// sequence length and recompute.
#pragma once

#include <array>

#include "exchange/import_draft.h"
#include "parallel/strategy_choices.h"

namespace orrery::deepspeed {

inline constexpr std::array kRows = {
    NameRow{"train_batch_size", "training.global_batch"},
    NameRow{"train_micro_batch_size_per_gpu", "training.micro_batch"},
    NameRow{"tensor_parallel.autotp_size", "parallel.tp", NameKind::degree},
    NameRow{"pipeline.stages", "parallel.pp", NameKind::degree},
    NameRow{"sequence_parallel_size", "parallel.cp", NameKind::degree},
    NameRow{"zero_optimization.stage", "parallel.zero"},
    NameRow{"zero_optimization.overlap_comm", "parallel.framework_options.overlap_comm",
            NameKind::boolean},
    NameRow{"zero_optimization.contiguous_gradients",
            "parallel.framework_options.contiguous_gradients", NameKind::boolean},
    NameRow{"zero_optimization.zero_quantized_weights",
            "parallel.framework_options.zero_quantized_weights", NameKind::boolean},
    NameRow{"zero_optimization.zero_quantized_gradients",
            "parallel.framework_options.zero_quantized_gradients", NameKind::boolean},
    NameRow{"zero_optimization.zero_hpz_partition_size",
            "parallel.framework_options.zero_hpz_partition_size", NameKind::degree},
};

// "cpu" is a node's memory.
inline constexpr EnumArray<OffloadTarget, std::string_view> kDevices = {"none", "cpu", "nvme"};

// The schedules of its pipeline engine: one.
inline constexpr std::array<std::string_view, 2> kSchedules = {"1f1b", "deepspeed"};

// Sizes that our profile has as DeepSpeed's default has them, and what another one would change.
struct ProfileSize {
  std::string_view name;
  double otherwise;
  std::string_view changes;
};
inline constexpr std::array kProfileSizes = {
    ProfileSize{"zero_optimization.stage3_max_reuse_distance", 1e9,
                "which gathered weights are kept"},
    ProfileSize{"zero_optimization.stage3_param_persistence_threshold", 1e5,
                "which weights are never sharded"},
};

// Only with ZeRO-3.
inline constexpr std::string_view kOfStage3 = "zero_optimization.stage3_";
inline constexpr std::string_view kSubGroup = "zero_optimization.sub_group_size";

// Counts of elements that are options of our profile by the same names. A trainer's "auto" is a
// share of the square of the model's width (huggingface/transformers, integrations/deepspeed.py:
// trainer_config_finalize), or with no share DeepSpeed's default.
struct ElementCount {
  std::string_view name;
  std::string_view option;
  double of_width = 0;
};
inline constexpr std::array kElementCounts = {
    ElementCount{"zero_optimization.reduce_bucket_size",
                 "parallel.framework_options.reduce_bucket_size", 1},
    ElementCount{kSubGroup, "parallel.framework_options.sub_group_size"},
    ElementCount{"zero_optimization.stage3_max_live_parameters",
                 "parallel.framework_options.stage3_max_live_parameters"},
    ElementCount{"zero_optimization.stage3_prefetch_bucket_size",
                 "parallel.framework_options.stage3_prefetch_bucket_size", 0.9}};

constexpr const ElementCount* find_element_count(std::string_view name) {
  for (const ElementCount& c : kElementCounts) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

inline constexpr std::string_view kCpuCheckpointing = "activation_checkpointing.cpu_checkpointing";

// How gradients are kept and how they travel; by default as the computation has them.
inline constexpr std::string_view kKeptGradients = "data_types.grad_accum_dtype";
inline constexpr std::string_view kSentGradients = "communication_data_type";
inline constexpr std::array<std::string_view, 3> kTypes = {"fp32", "fp16", "bf16"};
// DeepSpeed's other words of them, and the place in kTypes.
struct TypeWord {
  std::string_view word;
  std::size_t type;
};
inline constexpr std::array kTypeWords = {
    TypeWord{"float32", 0}, TypeWord{"torch.float32", 0}, TypeWord{"float", 0},
    TypeWord{"float16", 1}, TypeWord{"torch.float16", 1}, TypeWord{"half", 1},
    TypeWord{"bfp16", 2},   TypeWord{"bfloat16", 2},      TypeWord{"torch.bfloat16", 2},
};

// Master weights, gradients and moments of 16 bits.
inline constexpr const char* kNarrowStates[] = {
    "fp16.fp16_master_weights_and_grads", "bf16.bf16_master_weights_and_grads",
    "bf16.bf16_optimizer_states", "zero_optimization.fp16_master_weights_and_gradients",
    "fp16_master_weights_and_gradients"};

// Settings that move memory or time a little, and have no key.
inline constexpr std::array kNotModelled = {
    SettingNote{"activation_checkpointing.*", "kept activations are the script's"},
    SettingNote{"compile.*", "the script compiles"},
    SettingNote{"zero_optimization.stage3_module_granularity_threshold",
                "weights are gathered layer by layer"},
    SettingNote{"zero_optimization.leaf_module.*", "each layer is gathered by itself here"},
    SettingNote{"zero_optimization.mics_hierarchical_params_gather",
                "the profile's way of gathering is used"},
    SettingNote{"zero_optimization.max_live_parameters", "DeepSpeed ignores it without stage3_"},
    SettingNote{"zero_optimization.max_reuse_distance", "DeepSpeed ignores it without stage3_"},
    SettingNote{"zero_optimization.prefetch_bucket_size", "DeepSpeed ignores it without stage3_"},
    SettingNote{"zero_optimization.param_persistence_threshold",
                "DeepSpeed ignores it without stage3_"},
    SettingNote{"zero_optimization.offload_optimizer.*", "the profile's transfers are used"},
    SettingNote{"zero_optimization.offload_param.*", "the profile's transfers are used"},
    SettingNote{"monitor_config.*", "printed, not computed"},
    SettingNote{"curriculum_learning.*", "sequences are of the full length here"},
    SettingNote{"data_efficiency.*", "sequences are of the full length here"},
    SettingNote{"gradient_predivide_factor", "a factor alone"},
    SettingNote{"prescale_gradients", "a factor alone"},
};

// Settings without effect here; a name that ends in * stands for all that begin so.
inline constexpr std::string_view kWithoutEffect =
    "optimizer.params.* torch_autocast.* scheduler.* steps_per_print wall_clock_breakdown "
    "gradient_clipping dump_state fp16.loss_scale fp16.loss_scale_window "
    "fp16.initial_scale_power fp16.hysteresis fp16.min_loss_scale fp16.auto_cast "
    "flops_profiler.* tensorboard.* wandb.* csv_monitor.* comms_logger.* "
    "zero_optimization.round_robin_gradients zero_optimization.allgather_partitions "
    "zero_optimization.allgather_bucket_size zero_optimization.reduce_scatter "
    "zero_optimization.stage3_gather_16bit_weights_on_model_save "
    "zero_optimization.gather_16bit_weights_on_model_save zero_allow_untested_optimizer "
    "zero_optimization.offload_optimizer.pin_memory zero_optimization.offload_param.pin_memory "
    "zero_optimization.offload_optimizer.nvme_path zero_optimization.offload_param.nvme_path "
    "aio.* checkpoint.* seed monitor_config.* "
    "zero_optimization.stage3_gather_fp16_weights_on_model_save "
    "zero_optimization.ignore_unused_parameters zero_optimization.elastic_checkpoint "
    "zero_optimization.load_from_fp32_weights zero_optimization.memory_efficient_linear "
    "zero_optimization.offload_optimizer.buffer_count "
    "zero_optimization.offload_optimizer.fast_init "
    "zero_optimization.offload_optimizer.pipeline* zero_optimization.offload_param.buffer_* "
    "zero_optimization.offload_param.max_in_cpu zero_force_ds_cpu_optimizer bf16.auto_cast "
    "bf16.loss_scale* bf16.initial_scale_power bf16.min_loss_scale bf16.hysteresis "
    "disable_allgather fp16.consecutive_hysteresis memory_breakdown $schema _comment "
    "pipeline.partition pipeline.seed_layers";

}  // namespace orrery::deepspeed
