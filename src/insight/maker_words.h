// SPDX-License-Identifier: Apache-2.0
//
// Tools and settings by the maker of a device, as a diagnosis names them. Sources: the makers' own
// pages of these tools; PyTorch's notes on memory management (PYTORCH_CUDA_ALLOC_CONF, of HIP
// PYTORCH_HIP_ALLOC_CONF), torch_npu's PYTORCH_NPU_ALLOC_CONF, MPS's watermarks (MPSAllocator.mm).
// Errors: none.
#pragma once

#include "core/enum_names.h"
#include "exchange/messages/memory_message.h"

namespace orrery {

struct MakerWords {
  const char* list_processes;  // that are on a device
  const char* unfragmented;    // the setting against an allocator's pieces
};

inline constexpr EnumArray<DeviceMaker, MakerWords> kMakerWords = {
    MakerWords{"nvidia-smi lists the processes of each GPU",
               "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True (torch 2.1 and newer), or "
               "max_split_size_mb"},
    MakerWords{"rocm-smi --showpids lists the processes of each GPU",
               "PYTORCH_HIP_ALLOC_CONF=expandable_segments:True, or max_split_size_mb"},
    MakerWords{"xpu-smi ps lists the processes of each GPU",
               "torch.xpu.empty_cache() between phases of different sizes"},
    MakerWords{"npu-smi info lists the processes of each NPU",
               "PYTORCH_NPU_ALLOC_CONF=expandable_segments:True, or max_split_size_mb"},
    MakerWords{"Activity Monitor shows what else holds the shared memory",
               "torch.mps.empty_cache(), or PYTORCH_MPS_HIGH_WATERMARK_RATIO"},
    MakerWords{"hl-smi lists the processes of each Gaudi",
               "PT_HPU_POOL_MEM_ACQUIRE_PERC, the share that the bridge's pool takes"},
    MakerWords{"neuron-top (neuron-ls) lists the processes of each NeuronCore",
               "fewer compiled graphs that are loaded at once"},
    MakerWords{"the Task Manager's GPU page lists the processes",
               "the same batch shape in every step"},
    MakerWords{"tpu-info lists the processes of each chip; one process owns a chip",
               "donated buffers (donate_argnums), the same shapes in every step"},
};

}  // namespace orrery
