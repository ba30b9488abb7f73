// SPDX-License-Identifier: Apache-2.0
//
// Bytes that a text of a failed or a running job states: what was asked for, what was held, what
// was free.
//
// Read, in any line of a log, behind any prefix:
// - PyTorch's out-of-memory error of CUDA, HIP, XPU, NPU and MPS, from "(GPU 0; 15.90 GiB total
//   capacity; 14.2 GiB already allocated; …; 203 MiB cached)" of 1.0 to "GPU 0 has a total capacity
//   of 79.25 GiB of which 1.16 GiB is free. … is reserved by PyTorch but unallocated" of 2.9, and
//   cudaMallocAsync's ("Currently allocated : …"); pytorch/pytorch, CUDACachingAllocator at its
//   releases;
// - torch.cuda.memory_summary() (pytorch/pytorch, torch.cuda.memory);
// - DeepSpeed's see_memory_usage(): "MA 7.12 GB Max_MA 7.12 GB CA …" (deepspeed/runtime/utils.py);
// - XLA's RESOURCE_EXHAUSTED, of JAX and TensorFlow, with the sums of BufferAssignment, a TPU's
//   "Used 20.47G of 15.48G hbm" with its largest allocations, and its runtime's "Attempting to
//   allocate 180.59M. That was not possible. There are 142.58M free.";
// - allocations outside PyTorch's allocator that failed: cuBLAS, NCCL, CUDA itself;
// - out-of-memory errors of PaddlePaddle, MindSpore, Gaudi, Neuron and DirectML, and the warning of
//   PyTorch's allocator beside its error;
// - vLLM's refusals to start ("Free memory on device (67.24/79.25 GiB) …"), and beside an
//   out-of-memory error what it says of its share and of what it holds asleep;
// - DeepSpeed's "2 pytorch allocator cache flushes since last step";
// - host memory: PyTorch's DefaultCPUAllocator, the out-of-memory killers of the kernel, Slurm,
//   Kubernetes and Ray, a process that ended by signal 9, a full /dev/shm;
// - nvidia-smi's table: memory, load and power of each GPU;
// - a snapshot of PyTorch's allocator (exchange/snapshot/read_snapshot.h), which is no line.
//
// All of these tools divide by powers of 1,024 whether they print GB or GiB. The first of several
// messages of one kind counts, and the state that holds most; `count` says how many there are. A
// container hides the process from the driver, and the message then states 0 bytes in use: a
// process of less than its own allocator holds has no such amount here. Units: bytes. Errors: none;
// a text without any gives none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "exchange/snapshot/read_snapshot.h"
#include "orrery/quantity.h"

namespace orrery {

enum class MessageKind : std::uint8_t {
  device_out_of_memory,  // an allocation of PyTorch's allocator failed
  memory_summary,
  memory_usage,          // DeepSpeed's
  xla_out_of_memory,     // of a compiled program
  outside_allocator,     // a library's allocation failed
  engine_out_of_memory,  // an inference engine refuses to start
  shared_memory,         // of the host, between processes
  host_out_of_memory,
  allocator_flushes,  // DeepSpeed's warning that the cache was given back
  device_list,        // nvidia-smi
  memory_snapshot,
};
constexpr EnumNames<MessageKind> names_of(MessageKind) {
  return {"device_out_of_memory", "memory_summary",       "memory_usage",   "xla_out_of_memory",
          "outside_allocator",    "engine_out_of_memory", "shared_memory",  "host_out_of_memory",
          "allocator_flushes",    "device_list",          "memory_snapshot"};
}

// Forms whose causes are their own.
inline constexpr const char* kUnstartedLibrary = "a library of CUDA that could not start";
inline constexpr const char* kUnpinned = "a failed allocation of pinned memory";

// Quantities that a message may state, all in bytes.
enum class Stated : std::uint8_t {
  asked,        // by the allocation that failed
  capacity,     // of the device
  free,         // of the device
  allocated,    // by tensors
  reserved,     // by the allocator, tensors included
  unallocated,  // reserved − allocated
  process,      // in use by this process, libraries included
  pools,        // allocated in private pools, as of CUDA graphs
  allowed,      // to this process, where it is limited
  peak_allocated,
  peak_reserved,
  inactive,       // parts of blocks that cannot be released
  largest_piece,  // one free piece of what is reserved
  program,        // a compiled program's need
  temporary,
  arguments,
  host_used,      // by the process or the task that was ended
  host_node,      // by all of the node
  engine,         // the share of an inference engine on the same device
  engine_asleep,  // what stays in use while it sleeps
};
constexpr EnumNames<Stated> names_of(Stated) {
  return {"asked",         "capacity",  "free",          "allocated", "reserved",
          "unallocated",   "process",   "pools",         "allowed",   "peak_allocated",
          "peak_reserved", "inactive",  "largest_piece", "program",   "temporary",
          "arguments",     "host_used", "host_node",     "engine",    "engine_asleep"};
}

// The maker of the device or runtime that the message is of: its tools and settings have other
// names.
enum class DeviceMaker : std::uint8_t {
  nvidia,
  amd,
  intel,
  ascend,
  apple,
  gaudi,
  neuron,
  windows,
  tpu,
};
constexpr EnumNames<DeviceMaker> names_of(DeviceMaker) {
  return {"nvidia", "amd", "intel", "ascend", "apple", "gaudi", "neuron", "windows", "tpu"};
}

// The phase of the job in which memory ran out, where its traceback says it.
enum class JobMoment : std::uint8_t {
  unknown,
  saving,
  loading,     // weights
  resuming,    // from a checkpoint, with the optimizer's states
  generating,  // in an inference engine
  loss,        // of the logits: their conversion and cross entropy
};
constexpr EnumNames<JobMoment> names_of(JobMoment) {
  return {"unknown", "saving", "loading", "resuming", "generating", "loss"};
}

// One GPU of nvidia-smi's table.
struct ListedDevice {
  Bytes used{};
  Bytes capacity{};
  std::optional<double> load;  // 0 to 1
  std::optional<Watts> power;
  std::optional<Watts> cap;
};

struct MemoryMessage {
  MessageKind kind = MessageKind::device_out_of_memory;
  std::string form;   // "PyTorch's out-of-memory error (CUDA)"
  std::string line;   // the first words, as they stand
  std::string label;  // DeepSpeed: the moment that holds most
  std::int64_t count = 1;
  EnumArray<Stated, std::optional<Bytes>> bytes{};
  std::int64_t retries = 0;  // of the allocator, before it gave up; most flushes of a step
  DeviceMaker maker = DeviceMaker::nvidia;
  JobMoment moment = JobMoment::unknown;
  std::vector<ListedDevice> devices;
  std::vector<HeldMemory>
      holders;  // of a snapshot or of XLA's list, at the peak, the largest first

  const std::optional<Bytes>& operator[](Stated s) const { return bytes[s]; }
  std::optional<Bytes>& operator[](Stated s) { return bytes[s]; }
};

// In the order of kinds; none where the text has none.
std::vector<MemoryMessage> read_memory_messages(std::string_view text);

// A snapshot of PyTorch's allocator, of the device whose peak is the highest.
MemoryMessage snapshot_message(std::string_view bytes, const std::string& file);

}  // namespace orrery
