// SPDX-License-Identifier: Apache-2.0
//
// Variables of MLPerf's config_*.sh (training_results v5.0 and v5.1) beside Megatron-LM's names.
#pragma once

#include <array>

#include "exchange/flat.h"

namespace orrery::mlperf {

// Variables of which one is enough to know such a file.
inline constexpr std::string_view kKnownBy[] = {"DGXNNODES",
                                                "DGXNGPU",
                                                "DGXSYSTEM",
                                                "LORA_A2A",
                                                "MINIBS",
                                                "TENSOR_MODEL_PARALLEL",
                                                "FP8_PARAM_GATHER",
                                                "FP4_RECIPE",
                                                "MODEL_SIZE",
                                                "TARGET_LOG_PPL",
                                                "MCORE_CUDA_GRAPH",
                                                "FULL_CUDA_GRAPH",
                                                "PIPELINE_MODEL_PARALLEL",
                                                "CONTEXT_PARALLEL",
                                                "INTERLEAVED_PIPELINE",
                                                "SEQ_PARALLEL",
                                                "TP_COMM_OVERLAP",
                                                "USE_DIST_OPTIMIZER",
                                                "ASYM_PP_EMBED",
                                                "WALLTIME_RUNANDTIME",
                                                "OVERLAP_GRAD_REDUCE",
                                                "SBATCH_NETWORK",
                                                "MLPERF_SYSTEM_NAME"};

inline constexpr std::array kNames = {
    NamedPath{"TENSOR_MODEL_PARALLEL", "tensor_model_parallel_size"},
    NamedPath{"TP", "tensor_model_parallel_size"},
    NamedPath{"PIPELINE_MODEL_PARALLEL", "pipeline_model_parallel_size"},
    NamedPath{"PP", "pipeline_model_parallel_size"},
    NamedPath{"CONTEXT_PARALLEL", "context_parallel_size"},
    NamedPath{"CP", "context_parallel_size"},
    NamedPath{"EXPERT_PARALLEL", "expert_model_parallel_size"},
    NamedPath{"EP", "expert_model_parallel_size"},
    NamedPath{"INTERLEAVED_PIPELINE", "num_virtual_stages_per_pipeline_rank"},
    NamedPath{"VP", "num_virtual_stages_per_pipeline_rank"},
    NamedPath{"SEQ_PARALLEL", "sequence_parallel"},
    NamedPath{"SP", "sequence_parallel"},
    NamedPath{"MICRO_BATCH_SIZE", "micro_batch_size"},
    NamedPath{"MBS", "micro_batch_size"},
    NamedPath{"GLOBAL_BATCH_SIZE", "global_batch_size"},
    NamedPath{"GBS", "global_batch_size"},
    NamedPath{"MAX_SEQLEN", "seq_length"},
    NamedPath{"SEQ_LENGTH", "seq_length"},
    NamedPath{"SEQ_LEN", "seq_length"},
    NamedPath{"MAX_STEPS", "train_iters"},
    NamedPath{"USE_DIST_OPTIMIZER", "use_distributed_optimizer"},
    NamedPath{"OVERLAP_GRAD_REDUCE", "overlap_grad_reduce"},
    NamedPath{"OVERLAP_PARAM_GATHER", "overlap_param_gather"},
    NamedPath{"OVERLAP_PARAM_GATHER_WITH_OPTIM_STEP", "overlap_param_gather_with_optimizer_step"},
    NamedPath{"ALIGN_PARAM_GATHER", "align_param_gather"},
    NamedPath{"TP_COMM_OVERLAP", "tp_comm_overlap"},
    NamedPath{"ASYM_PP_EMBED", "account_for_embedding_in_pipeline_split"},
    NamedPath{"ASYM_PP_LOSS", "account_for_loss_in_pipeline_split"},
    NamedPath{"TP_PP_DP_MAPPING", "use_tp_pp_dp_mapping"},
    NamedPath{"FP8_PARAM_GATHER", "fp8_param_gather"},
    NamedPath{"DEFER_EMBEDDING_WGRAD_COMPUTE", "defer_embedding_wgrad_compute"},
    NamedPath{"FULL_CUDA_GRAPH", "cuda_graph_impl"},
    NamedPath{"MCORE_CUDA_GRAPH", "cuda_graph_impl"},
    NamedPath{"LAYER_CUDA_GRAPH", "cuda_graph_impl"},
    NamedPath{"ACTIVATION_CHECKPOINTING", "checkpoint_activations"},
    NamedPath{"CPU_OFFLOADING", "cpu_offloading"},
    NamedPath{"ACT_CKPT_GRANULARITY", "recompute_granularity"},
    NamedPath{"ACT_CKPT_METHOD", "recompute_method"},
    NamedPath{"ACT_CKPT_NUM_LAYERS", "recompute_num_layers"},
    NamedPath{"WORLD_SIZE", "WORLD_SIZE"},
    // AMD's of v5.1, which start Primus [from memory].
    NamedPath{"PRIMUS_MBS", "micro_batch_size"},
    NamedPath{"PRIMUS_MICRO_BATCH_SIZE", "micro_batch_size"},
    NamedPath{"PRIMUS_GBS", "global_batch_size"},
    NamedPath{"PRIMUS_GLOBAL_BATCH_SIZE", "global_batch_size"},
    NamedPath{"PRIMUS_SEQ_LENGTH", "seq_length"},
    NamedPath{"PRIMUS_TP", "tensor_model_parallel_size"},
    NamedPath{"PRIMUS_PP", "pipeline_model_parallel_size"},
    NamedPath{"PRIMUS_TRAIN_ITERS", "train_iters"},
};

}  // namespace orrery::mlperf
