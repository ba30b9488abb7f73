// SPDX-License-Identifier: Apache-2.0
//
// The words by which tools state that memory ran out, and the amounts beside them. Only the reader
// of such messages (memory_message.cpp) uses it. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "exchange/messages/memory_message.h"

namespace orrery::memory_messages {

// `bare`, `gigabytes`: behind them, a number without a unit.
enum class Side : std::uint8_t { behind, before, bare, gigabytes };

// An amount by the words beside it.
struct AmountWords {
  Stated stated;
  std::string_view words;
  Side side;
};

inline constexpr std::array kTorchAmounts = {
    AmountWords{Stated::asked, "Tried to allocate", Side::behind},
    AmountWords{Stated::asked, "Requested  ", Side::behind},
    AmountWords{Stated::capacity, "a total capacity of", Side::behind},
    AmountWords{Stated::capacity, "a total capacty of", Side::behind},  // PyTorch 2.0 and 2.1
    AmountWords{Stated::capacity, "total capacity;", Side::before},
    AmountWords{Stated::capacity, "Device limit", Side::behind},
    AmountWords{Stated::free, "is free.", Side::before},
    AmountWords{Stated::free, "free;", Side::before},
    AmountWords{Stated::free, "Free (according to CUDA)", Side::behind},
    AmountWords{Stated::process, "memory in use. Of", Side::before},
    AmountWords{Stated::process, "memory in use.", Side::before},
    AmountWords{Stated::allocated, "is allocated by PyTorch", Side::before},
    AmountWords{Stated::allocated, "already allocated", Side::before},
    AmountWords{Stated::allocated, "Currently allocated", Side::behind},
    AmountWords{Stated::allocated, "MPS allocated", Side::behind},
    AmountWords{Stated::unallocated, "is reserved by PyTorch but unallocated", Side::before},
    AmountWords{Stated::reserved, "reserved in total by PyTorch", Side::before},
    AmountWords{Stated::reserved, "cached)", Side::before},  // before PyTorch 1.4
    AmountWords{Stated::pools, "allocated in private pools", Side::before},
    AmountWords{Stated::allowed, "allowed;", Side::before},
    AmountWords{Stated::allowed, "max allowed", Side::behind},
    // The allocator's warning beside the error.
    AmountWords{Stated::asked, "while trying to allocate", Side::behind},
    AmountWords{Stated::free, "bytes (free:", Side::bare},
    AmountWords{Stated::capacity, ", total:", Side::bare},
    // PaddlePaddle, MindSpore, Gaudi's bridge, Neuron's runtime, DirectML.
    AmountWords{Stated::asked, "Cannot allocate", Side::behind},
    AmountWords{Stated::allocated, "memory has been allocated", Side::before},
    AmountWords{Stated::free, "available memory is only", Side::behind},
    AmountWords{Stated::asked, "alloc size:", Side::behind},
    AmountWords{Stated::asked, "Allocation failed for size::", Side::bare},
    AmountWords{Stated::asked, "alloc DEVICE memory:", Side::bare},
    AmountWords{Stated::asked, "Could not allocate tensor with", Side::behind},
    // Neuron's runtime, ONNX Runtime, llama.cpp.
    AmountWords{Stated::asked, "NRT_RESOURCE (4): Failed to allocate", Side::behind},
    AmountWords{Stated::asked, "for requested buffer of size", Side::bare},
    AmountWords{Stated::asked, "alloc_buffer: allocating", Side::behind},
};

// vLLM: what it wants of the device, and what the cache of its requests needs.
inline constexpr std::array kEngineAmounts = {
    AmountWords{Stated::asked, "). Decrease GPU memory", Side::before},
    AmountWords{Stated::asked, "KV cache is needed", Side::before},
    AmountWords{Stated::free, "available KV cache memory (", Side::behind},
};

inline constexpr std::array kXlaAmounts = {
    AmountWords{Stated::asked, "trying to allocate", Side::behind},
    AmountWords{Stated::asked, "Attempting to allocate", Side::behind},
    AmountWords{Stated::free, "That was not possible. There are", Side::behind},
    AmountWords{Stated::asked, "Out of memory allocating", Side::behind},
    AmountWords{Stated::asked, "Failed to allocate request for", Side::behind},
    AmountWords{Stated::program, "total allocation", Side::behind},
    AmountWords{Stated::arguments, "parameter allocation", Side::behind},
    AmountWords{Stated::temporary, "preallocated temp allocation", Side::behind},
    AmountWords{Stated::program, "hbm. Used", Side::behind},
    AmountWords{Stated::capacity, "hbm. Exceeded", Side::before},
    AmountWords{Stated::arguments, "    arguments", Side::behind},
    AmountWords{Stated::program, "Program hbm requirement", Side::behind},
    // Neuron's compiler: "Estimated peak HBM usage (22.839451) exceeds 16GB".
    AmountWords{Stated::program, "Estimated peak HBM usage (", Side::gigabytes},
    AmountWords{Stated::capacity, ") exceeds", Side::behind},
};

inline constexpr std::array kHostAmounts = {
    AmountWords{Stated::asked, "you tried to allocate", Side::behind},
    AmountWords{Stated::asked, "memory allocation of", Side::behind},
    AmountWords{Stated::asked, "MemoryError: Unable to allocate", Side::behind},
    AmountWords{Stated::host_used, "anon-rss:", Side::behind},
    // Ray: the task that it ended, and all of the node.
    AmountWords{Stated::host_used, ", memory used=", Side::behind},
    AmountWords{Stated::host_node, "was running was", Side::behind},
};

struct MessageForm {
  MessageKind kind;
  std::string_view mark;  // where it begins
  const char* form;
  DeviceMaker maker = DeviceMaker::nvidia;
};

// The first that a text has, of each kind, is its message.
inline constexpr std::array kForms = {
    MessageForm{MessageKind::device_out_of_memory, "CUDA out of memory. Tried",
                "PyTorch's out-of-memory error (CUDA)"},
    MessageForm{MessageKind::device_out_of_memory, "HIP out of memory. Tried",
                "PyTorch's out-of-memory error (HIP)", DeviceMaker::amd},
    MessageForm{MessageKind::device_out_of_memory, "XPU out of memory. Tried",
                "PyTorch's out-of-memory error (XPU)", DeviceMaker::intel},
    MessageForm{MessageKind::device_out_of_memory, "NPU out of memory. Tried",
                "PyTorch's out-of-memory error (NPU)", DeviceMaker::ascend},
    MessageForm{MessageKind::device_out_of_memory, "MPS backend out of memory",
                "PyTorch's out-of-memory error (MPS)", DeviceMaker::apple},
    MessageForm{MessageKind::device_out_of_memory, "would exceed allowed memory",
                "PyTorch's out-of-memory error (cudaMallocAsync)"},
    MessageForm{MessageKind::device_out_of_memory, "Tried to allocate",
                "PyTorch's out-of-memory error"},
    MessageForm{MessageKind::device_out_of_memory, "memory allocation failed with OOM on device",
                "the warning of PyTorch's allocator"},
    MessageForm{MessageKind::device_out_of_memory, "Out of memory error on GPU",
                "PaddlePaddle's out-of-memory error"},
    MessageForm{MessageKind::device_out_of_memory, "memory isn't enough and alloc failed",
                "MindSpore's out-of-memory error", DeviceMaker::ascend},
    MessageForm{MessageKind::device_out_of_memory, "PT_DEVMEM Allocation failed",
                "the out-of-memory error of Gaudi's PyTorch bridge", DeviceMaker::gaudi},
    MessageForm{MessageKind::device_out_of_memory, "Failed to alloc DEVICE memory",
                "the out-of-memory error of Neuron's runtime", DeviceMaker::neuron},
    MessageForm{MessageKind::device_out_of_memory, "Could not allocate tensor with",
                "DirectML's out-of-memory error", DeviceMaker::windows},
    MessageForm{MessageKind::device_out_of_memory, "CUDA out of memory occurred when warming up",
                "vLLM's out-of-memory error while it warms up"},
    MessageForm{MessageKind::device_out_of_memory, "CUDA out of memory",
                "an out-of-memory error (CUDA)"},
    MessageForm{MessageKind::device_out_of_memory, "HIP out of memory",
                "an out-of-memory error (HIP)", DeviceMaker::amd},
    MessageForm{MessageKind::device_out_of_memory, "Allocation on device",
                "PyTorch's out-of-memory error (cudaMallocAsync)"},
    MessageForm{MessageKind::device_out_of_memory, "No executable batch size found",
                "Accelerate's search of a batch size, which found none"},
    MessageForm{MessageKind::device_out_of_memory, "NRT_RESOURCE (4)",
                "the out-of-memory error of Neuron's runtime", DeviceMaker::neuron},
    MessageForm{MessageKind::device_out_of_memory, "Failed to allocate memory for requested buffer",
                "ONNX Runtime's out-of-memory error"},
    MessageForm{MessageKind::device_out_of_memory, "buffer_type_alloc_buffer: allocating",
                "llama.cpp's out-of-memory error"},
    MessageForm{MessageKind::xla_out_of_memory, "Attempting to allocate",
                "the out-of-memory error of a TPU's runtime", DeviceMaker::tpu},
    MessageForm{MessageKind::xla_out_of_memory, "XLA:TPU", "XLA's out-of-memory error (TPU)",
                DeviceMaker::tpu},
    MessageForm{MessageKind::xla_out_of_memory, "Failed to load NEFF",
                "the out-of-memory error of Neuron's runtime", DeviceMaker::neuron},
    MessageForm{MessageKind::xla_out_of_memory, "Estimated peak HBM usage",
                "the refusal of Neuron's compiler", DeviceMaker::neuron},
    MessageForm{MessageKind::xla_out_of_memory, "RESOURCE_EXHAUSTED", "XLA's out-of-memory error"},
    MessageForm{MessageKind::xla_out_of_memory, "Resource exhausted: Out",
                "XLA's out-of-memory error"},
    MessageForm{MessageKind::xla_out_of_memory, "OOM when allocating tensor",
                "TensorFlow's out-of-memory error"},
    MessageForm{MessageKind::xla_out_of_memory, "Ran out of memory in memory space hbm",
                "XLA's out-of-memory error (TPU)", DeviceMaker::tpu},
    MessageForm{MessageKind::xla_out_of_memory, "Program hbm requirement",
                "XLA's table of a program's memory (TPU)", DeviceMaker::tpu},
    MessageForm{MessageKind::xla_out_of_memory, "ran out of memory trying to allocate",
                "TensorFlow's out-of-memory error"},
    MessageForm{MessageKind::outside_allocator, "CUBLAS_STATUS_ALLOC_FAILED",
                "cuBLAS's failed allocation"},
    MessageForm{MessageKind::outside_allocator, "CUDNN_STATUS_ALLOC_FAILED",
                "cuDNN's failed allocation"},
    MessageForm{MessageKind::outside_allocator, "CUBLAS_STATUS_NOT_INITIALIZED", kUnstartedLibrary},
    MessageForm{MessageKind::outside_allocator, "CUDNN_STATUS_NOT_INITIALIZED", kUnstartedLibrary},
    MessageForm{MessageKind::outside_allocator, "cudaMalloc failed: out of memory",
                "CUDA's out-of-memory error"},
    MessageForm{MessageKind::outside_allocator, "CUresult error: 2",
                "CUDA's out-of-memory error (torch_memory_saver)"},
    MessageForm{MessageKind::outside_allocator,
                "cuda error: out of memory at /workspace/csrc/cumem",
                "CUDA's out-of-memory error (vLLM's sleep mode)"},
    MessageForm{MessageKind::outside_allocator, "CUDA error: out of memory",
                "CUDA's out-of-memory error"},
    MessageForm{MessageKind::outside_allocator, "CUDA Error: out of memory",
                "CUDA's out-of-memory error (vLLM's sleep mode)"},
    MessageForm{MessageKind::outside_allocator, "cuda runtime error (2) : out of memory",
                "CUDA's out-of-memory error"},
    MessageForm{MessageKind::outside_allocator, "Cuda failure 'out of memory'",
                "NCCL's out-of-memory error"},
    MessageForm{MessageKind::outside_allocator, "Cuda failure 2 'out of memory'",
                "NCCL's out-of-memory error"},
    MessageForm{MessageKind::outside_allocator, "HIP_ERROR_OutOfMemory",
                "HIP's out-of-memory error", DeviceMaker::amd},
    MessageForm{MessageKind::outside_allocator, "hipErrorOutOfMemory", "HIP's out-of-memory error",
                DeviceMaker::amd},
    MessageForm{MessageKind::xla_out_of_memory, "from device: hipError",
                "TensorFlow's out-of-memory error (HIP)", DeviceMaker::amd},
    MessageForm{MessageKind::xla_out_of_memory, "from device: CUDA_ERROR_OUT_OF_MEMORY",
                "TensorFlow's out-of-memory error"},
    MessageForm{MessageKind::engine_out_of_memory, "Free memory on device (",
                "vLLM's refusal to start"},
    MessageForm{MessageKind::engine_out_of_memory, "To serve at least one request",
                "vLLM's refusal to start"},
    MessageForm{MessageKind::engine_out_of_memory, "No available memory for the cache blocks",
                "vLLM's refusal to start"},
    MessageForm{MessageKind::engine_out_of_memory, "tokens that can be stored in KV cache",
                "vLLM's refusal to start"},
    MessageForm{MessageKind::engine_out_of_memory, "Please try to increase --mem-fraction-static",
                "SGLang's refusal to start"},
    MessageForm{MessageKind::shared_memory, "Unexpected bus error encountered in worker",
                "PyTorch's data loader out of shared memory"},
    MessageForm{MessageKind::shared_memory, "out of shared memory",
                "a full /dev/shm (PyTorch's data loader)"},
    MessageForm{MessageKind::host_out_of_memory, "DefaultCPUAllocator",
                "PyTorch's out-of-memory error of the host"},
    MessageForm{MessageKind::host_out_of_memory, "Out of memory: Kill",
                "the kernel's out-of-memory killer"},
    MessageForm{MessageKind::host_out_of_memory, "oom-kill", "an out-of-memory killer of the host"},
    MessageForm{MessageKind::host_out_of_memory, "oom_kill", "an out-of-memory killer of the host"},
    MessageForm{MessageKind::host_out_of_memory, "exitcode: -9", "a process ended by signal 9"},
    MessageForm{MessageKind::host_out_of_memory, "exitcode  : -9", "a process ended by signal 9"},
    MessageForm{MessageKind::host_out_of_memory, "return code = -9", "a process ended by signal 9"},
    MessageForm{MessageKind::host_out_of_memory, "Signal 9 (SIGKILL)",
                "a process ended by signal 9"},
    MessageForm{MessageKind::host_out_of_memory, "Signals.SIGKILL: 9",
                "a process ended by signal 9"},
    MessageForm{MessageKind::host_out_of_memory, "is killed by signal: Killed",
                "a worker of PyTorch's data loader ended by signal 9"},
    MessageForm{MessageKind::host_out_of_memory, "node running low on memory",
                "Ray's memory monitor"},
    MessageForm{MessageKind::host_out_of_memory, "OOMKilled", "Kubernetes' out-of-memory killer"},
    MessageForm{MessageKind::host_out_of_memory, "exit code 137", "a container ended by signal 9"},
    MessageForm{MessageKind::host_out_of_memory, "exited with code 137",
                "a container ended by signal 9"},
    MessageForm{MessageKind::host_out_of_memory, "MemoryError: Unable to allocate",
                "NumPy's out-of-memory error of the host"},
    MessageForm{MessageKind::host_out_of_memory, "Errno 12] Cannot allocate memory",
                "a failed allocation of the host (ENOMEM)"},
    MessageForm{MessageKind::host_out_of_memory,
                "OS call failed or operation not supported on this", kUnpinned},
    MessageForm{MessageKind::host_out_of_memory, "memory allocation of",
                "a failed allocation of the host"},
};

// The share of an inference engine on the same device, as it prints it anywhere in the text.
inline constexpr std::array kEngineShares = {
    AmountWords{Stated::engine, "Available KV cache memory:", Side::behind},  // vLLM, as the next
    AmountWords{Stated::engine_asleep, "memory is still in use", Side::before},
    AmountWords{Stated::engine, ", V size:", Side::behind},  // SGLang: half of its cache
};

// Words of a traceback or of a log's last lines by what the job did when memory ran out.
struct MomentWords {
  JobMoment moment;
  std::string_view words;
};
inline constexpr std::array kMomentWords = {
    MomentWords{JobMoment::saving, "_save_to_state_dict"},
    MomentWords{JobMoment::saving, "in save_pretrained"},
    MomentWords{JobMoment::saving, "in save_checkpoint"},
    MomentWords{JobMoment::saving, "in _save_checkpoint"},
    MomentWords{JobMoment::saving, "in save_model"},
    MomentWords{JobMoment::saving, "in _save_model"},
    MomentWords{JobMoment::saving, "in save_state"},
    MomentWords{JobMoment::saving, "in _full_post_state_dict_hook"},
    MomentWords{JobMoment::saving, "in get_state_dict"},
    MomentWords{JobMoment::saving, "in full_optim_state_dict"},
    MomentWords{JobMoment::saving, "in _zero3_consolidated_16bit_state_dict"},
    MomentWords{JobMoment::loading, "in from_pretrained"},
    MomentWords{JobMoment::loading, "in _load_from_state_dict"},
    MomentWords{JobMoment::resuming, "in load_checkpoint"},
    MomentWords{JobMoment::resuming, "in _load_checkpoint"},
    MomentWords{JobMoment::resuming, "in _load_from_checkpoint"},
    MomentWords{JobMoment::resuming, "in _load_optimizer_and_scheduler"},
    MomentWords{JobMoment::resuming, "_load_optimizer_and_scheduler("},
    MomentWords{JobMoment::resuming, "in _load_zero_checkpoint"},
    MomentWords{JobMoment::resuming, "in _load_legacy_checkpoint"},
    MomentWords{JobMoment::resuming, "in _restore_from_bit16_weights"},
    MomentWords{JobMoment::resuming, "in load_fsdp_optimizer"},
    MomentWords{JobMoment::resuming, "in load_state"},
    MomentWords{JobMoment::generating, "/vllm/v1/worker/"},
    MomentWords{JobMoment::generating, "/vllm/worker/"},
    MomentWords{JobMoment::generating, "/vllm/model_executor/"},
    MomentWords{JobMoment::generating, "/sglang/srt/"},
    MomentWords{JobMoment::generating, "Capture cuda graph failed"},  // SGLang
    MomentWords{JobMoment::generating, "inference_engine.wake_up"},
    MomentWords{JobMoment::loss, "in float_conversion"},  // Megatron-Core: logits to 32 bits
    MomentWords{JobMoment::loss, "in fixed_cross_entropy"},
    MomentWords{JobMoment::loss, "in ForCausalLMLoss"},
    MomentWords{JobMoment::loss, "cross_entropy_loss("},
    MomentWords{JobMoment::loss, "in vocab_parallel_cross_entropy"},
    MomentWords{JobMoment::loss, "logits.float()"},
    MomentWords{JobMoment::loss, "in selective_log_softmax"},
    MomentWords{JobMoment::loss, "in logprobs_from_logits"},
};

// Words of vLLM's own message, which name the engine without a traceback.
inline constexpr std::string_view kEngineWords = "occurred when warming up";

}  // namespace orrery::memory_messages
