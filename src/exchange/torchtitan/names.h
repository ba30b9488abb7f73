// SPDX-License-Identifier: Apache-2.0
//
// torchtitan's settings (pytorch/torchtitan, TOML of 2024 and 2025; @b5bcd76 of 2026, which has
// --module, --config and overrides on the command line, with batches in tokens) beside our keys.
// Tables moved between versions, so a key of [training], [parallelism] and [experimental] is known
// by its last word. import.cpp and export.cpp read and write settings without a row.
#pragma once

#include <array>

#include "exchange/import_draft.h"

namespace orrery::torchtitan {

inline constexpr std::array kRows = {
    NameRow{"seq_len", "training.sequence_length"},
    NameRow{"tensor_parallel_degree", "parallel.tp", NameKind::degree},
    NameRow{"pipeline_parallel_degree", "parallel.pp", NameKind::degree},
    NameRow{"context_parallel_degree", "parallel.cp", NameKind::degree},
    NameRow{"expert_parallel_degree", "parallel.ep", NameKind::degree},
    NameRow{"expert_tensor_parallel_degree", "parallel.etp", NameKind::degree},
    NameRow{"enable_async_tensor_parallel", "parallel.framework_options.async_tp",
            NameKind::boolean},
};

// Tables whose keys are known by their last word.
inline constexpr std::array<std::string_view, 3> kMovedTables = {"training.", "parallelism.",
                                                                 "experimental."};

// A model of both: torchtitan's module and flavor, its registered configuration ("": not known to
// us), our file and the name that file gives.
struct ModelName {
  std::string_view module;
  std::string_view flavor;
  std::string_view config;
  std::string_view ours;
  std::string_view full;
};
inline constexpr std::array kModels = {
    ModelName{"llama3", "8B", "llama3_8b", "llama-3-8b", "Llama 3 8B"},
    ModelName{"llama3", "70B", "llama3_70b", "llama-3-70b", "Llama 3 70B"},
    ModelName{"llama3", "405B", "llama3_405b", "llama-3-405b", "Llama 3.1 405B"},
    ModelName{"llama2", "7B", "", "llama-2-7b", "Llama 2 7B"},
    ModelName{"llama2", "13B", "", "llama-2-13b", "Llama 2 13B"},
    ModelName{"llama2", "70B", "", "llama-2-70b", "Llama 2 70B"},
    ModelName{"qwen3", "30B-A3B", "", "qwen3-30b-a3b", "Qwen3 30B-A3B"},
    ModelName{"qwen3", "235B-A22B", "", "qwen3-235b-a22b", "Qwen3 235B-A22B"},
    ModelName{"gpt_oss", "120B", "", "gpt-oss-120b", "gpt-oss-120b"},
    ModelName{"gpt_oss", "20B", "", "gpt-oss-20b", "gpt-oss-20b"},
    ModelName{"llama4", "17bx16e", "", "llama-4-scout", "Llama 4 Scout"},
    ModelName{"llama4", "17bx128e", "", "llama-4-maverick", "Llama 4 Maverick"},
    ModelName{"deepseek_v3", "671B", "", "deepseek-v3", "DeepSeek-V3"},
    ModelName{"deepseek_v3", "16B", "", "deepseek-v2-lite", "DeepSeek-V2-Lite"},
    ModelName{"qwen3", "0.6B", "", "qwen3-0.6b", "Qwen3 0.6B"},
    ModelName{"qwen3", "1.7B", "", "qwen3-1.7b", "Qwen3 1.7B"},
    ModelName{"qwen3", "4B", "", "qwen3-4b", "Qwen3 4B"},
    ModelName{"qwen3", "14B", "", "qwen3-14b", "Qwen3 14B"},
    ModelName{"qwen3", "8B", "", "qwen3-8b", "Qwen3 8B"},
    ModelName{"qwen3", "32B", "", "qwen3-32b", "Qwen3 32B"},
};

struct ScheduleName {
  std::string_view theirs;
  std::string_view ours;
};
inline constexpr std::array kSchedules = {
    ScheduleName{"1F1B", "1f1b"},           ScheduleName{"Interleaved1F1B", "interleaved"},
    ScheduleName{"GPipe", "gpipe"},         ScheduleName{"ZBVZeroBubble", "zb-v"},
    ScheduleName{"DualPipeV", "dualpipev"},
};
// Names in releases of 2024.
inline constexpr std::array kOldSchedules = {
    ScheduleName{"interleaved_1f1b", "interleaved"},
};

inline constexpr std::string_view kAcMode = "activation_checkpoint.mode";
inline constexpr std::string_view kAcOption = "activation_checkpoint.selective_ac_option";
// Beside float8's tensorwise scales; its default is false [from memory, unverified].
inline constexpr const char* kGathersFloat8 = "enable_fsdp_float8_all_gather";
// The default of both: mode selective, every second layer [from memory, unverified].
inline constexpr std::int64_t kAcDefault = 2;

inline constexpr std::array kNotModelled = {
    SettingNote{"quantize.*", "of a converter; model.converters and its recipe alone are read"},
    SettingNote{"float8.*", "of the profile's float8"},
    SettingNote{"mx.*", "of the profile's float8"},
    SettingNote{"fsdp_bucket_*", "the profile's buckets are used"},
};

inline constexpr std::string_view kWithoutEffect =
    "job.* profiling.* metrics.* lr_scheduler.* checkpoint.* comm.* debug.* "
    "fault_tolerance.enable fault_tolerance.process_group fault_tolerance.replica_id "
    "fault_tolerance.min_replica_size fault_tolerance.sync_steps fault_tolerance.num_fragments "
    "fault_tolerance.should_quantize fault_tolerance.fragment_* validation.* dataset dataloader.* "
    "experimental.* symm_mem_recipes "
    "enable_loss_parallel enable_compiled_autograd model.use_flex_attn "
    "model.attn_mask_type activation_checkpoint.per_op_sac_force_recompute_mm_shapes_by_fqns "
    "compile.backend model.vocab_size custom_import job_config_file memory_estimation.* "
    "expert_parallel_comm_backend gc_* dataset_path max_norm warmup_steps seed deterministic "
    "optimizer.name optimizer.lr optimizer.lr_* optimizer.min_lr* optimizer.beta* optimizer.eps "
    "optimizer.weight_decay* optimizer.implementation optimizer.fused optimizer.foreach "
    "optimizer.early_step_in_backward "
    "gc_freq gc_debug model.tokenizer_path model.hf_assets_path "
    "model.norm_type model.print_after_conversion nproc_per_node nnodes node_rank rdzv_* "
    "local_ranks_filter role tee activation_checkpoint.early_stop dump_folder hf_assets_path";

}  // namespace orrery::torchtitan
