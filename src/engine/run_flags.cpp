// SPDX-License-Identifier: Apache-2.0
#include "engine/run_flags.h"

#include <array>

namespace orrery {
namespace {

constexpr std::array kFlags = {
    RunFlag{"--model", "model", "model: name or path (ours or Hugging Face's config.json)"},
    RunFlag{"--node", "cluster.node", "kind of node: name or path"},
    RunFlag{"--gpus", "cluster.gpus", "GPUs in all"},
    RunFlag{"--calibration", "cluster.calibration",
            "constants fitted on measurements: name or path (docs/calibrate.md)"},
    RunFlag{"--framework", "framework", "training software: name or path"},
    RunFlag{"--sequence-length", "training.sequence_length", "tokens of a sequence"},
    RunFlag{"--global-batch", "training.global_batch", "sequences of a step"},
    RunFlag{"--micro-batch", "training.micro_batch", "sequences of a micro batch"},
    RunFlag{"--precision", "training.precision", "fp32, tf32, fp16, bf16, fp8, mxfp8 or nvfp4"},
    RunFlag{"--states", "training.states", "recipe of the model states"},
    RunFlag{"--tokens", "training.tokens", "tokens of the whole training"},
    RunFlag{"--flash-attention", "training.flash_attention", "true or false"},
    RunFlag{"--tp", "parallel.tp", "tensor parallel"},
    RunFlag{"--pp", "parallel.pp", "pipeline parallel"},
    RunFlag{"--vpp", "parallel.vpp", "model chunks a pipeline stage"},
    RunFlag{"--cp", "parallel.cp", "context parallel"},
    RunFlag{"--ep", "parallel.ep", "expert parallel"},
    RunFlag{"--etp", "parallel.etp", "tensor parallel of experts"},
    RunFlag{"--dp", "parallel.dp", "data parallel"},
    RunFlag{"--sequence-parallel", "parallel.sequence_parallel", "true or false"},
    RunFlag{"--zero", "parallel.zero", "ZeRO 0 to 3"},
    RunFlag{"--schedule", "parallel.schedule", "pipeline schedule"},
    RunFlag{"--recompute", "parallel.recompute", "none, selective or full"},
    RunFlag{"--flops-convention", "flops_convention", "megatron, palm, 6n or causal"},
};

}  // namespace

std::span<const RunFlag> run_flags() { return kFlags; }

}  // namespace orrery
