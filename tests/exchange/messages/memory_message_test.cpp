// SPDX-License-Identifier: Apache-2.0
// Messages of memory in the spellings of PyTorch 1.0 to 2.9, XLA, the host, DeepSpeed and
// nvidia-smi. The texts are our own, after the formats that the header names; public threads that
// show each form: pytorch/pytorch issues 16417 ("cached"), 59778 ("reserved in total"), 35901
// (memory_summary), 124673 (private pools), jax-ml/jax issue 13428, ROCm/TheRock issue 1054.
#include "exchange/messages/memory_message.h"

#include <doctest/doctest.h>

#include "exchange/messages/amounts.h"
#include "exchange/messages/nccl_rows.h"
#include "exchange/messages/xla_allocations.h"
#include "support/about.h"

namespace orrery {
namespace {

using testing::about;

constexpr double kMib = 0x1p20;
constexpr double kGib = 0x1p30;

struct Expected {
  Stated stated;
  double bytes;
};

struct Spelling {
  const char* text;
  MessageKind kind;
  std::vector<Expected> bytes;
};

MemoryMessage only(const std::string& text) {
  const std::vector<MemoryMessage> all = read_memory_messages(text);
  REQUIRE(all.size() == 1);
  return all[0];
}

// NOLINTNEXTLINE(readability-function-size): a table
const std::vector<Spelling>& spellings() {
  using enum Stated;
  using enum MessageKind;
  static const std::vector<Spelling> all = {
      {"RuntimeError: CUDA out of memory. Tried to allocate 12.50 MiB (GPU 0; 10.92 GiB total "
       "capacity; 8.57 MiB already allocated; 9.28 GiB free; 4.68 MiB cached)",
       device_out_of_memory,
       {{asked, 12.5 * kMib},
        {capacity, 10.92 * kGib},
        {allocated, 8.57 * kMib},
        {free, 9.28 * kGib},
        {reserved, 4.68 * kMib}}},
      {"RuntimeError: CUDA out of memory. Tried to allocate 2.87 GiB (GPU 1; 14.76 GiB total "
       "capacity; 8.77 GiB already allocated; 19.75 MiB free; 13.71 GiB reserved in total by "
       "PyTorch)",
       device_out_of_memory,
       {{asked, 2.87 * kGib}, {reserved, 13.71 * kGib}, {unallocated, (13.71 - 8.77) * kGib}}},
      {"RuntimeError: CUDA out of memory. Tried to allocate 74.00 MiB (GPU 0; 11.91 GiB total "
       "capacity; 10.79 GiB already allocated; 12.94 MiB free; 11.21 GiB reserved in total by "
       "PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb",
       device_out_of_memory,
       {{asked, 74 * kMib}, {free, 12.94 * kMib}, {reserved, 11.21 * kGib}}},
      {"RuntimeError: CUDA out of memory. Tried to allocate 1006.00 MiB (GPU 0; 15.78 GiB total "
       "capacity; 14.00 GiB already allocated; 0 bytes free; 14.20 GiB allowed; 14.10 GiB "
       "reserved in total by PyTorch)",
       device_out_of_memory,
       {{free, 0}, {allowed, 14.2 * kGib}, {reserved, 14.1 * kGib}}},
      {"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a "
       "total capacty of 23.65 GiB of which 1.66 GiB is free. Including non-PyTorch memory, this "
       "process has 20.81 GiB memory in use. Of the allocated memory 12.09 GiB is allocated by "
       "PyTorch, and 4.84 GiB is reserved by PyTorch but unallocated.",
       device_out_of_memory,
       {{capacity, 23.65 * kGib},
        {free, 1.66 * kGib},
        {process, 20.81 * kGib},
        {allocated, 12.09 * kGib},
        {unallocated, 4.84 * kGib},
        {reserved, 16.93 * kGib}}},
      {"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.70 GiB. GPU 0 has a "
       "total capacty of 6.00 GiB of which 0 bytes is free. Of the allocated memory 2.93 GiB is "
       "allocated by PyTorch, and 2.30 GiB is reserved by PyTorch but unallocated.",
       device_out_of_memory,
       {{free, 0}, {allocated, 2.93 * kGib}, {unallocated, 2.3 * kGib}}},
      {"[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 226.00 MiB. GPU 3 "
       "has a total capacity of 79.10 GiB of which 210.38 MiB is free. Process 4242 has 9.50 GiB "
       "memory in use. Process 4243 has 69.38 GiB memory in use. Of the allocated memory 64.81 "
       "GiB is allocated by PyTorch, and 336.73 MiB is reserved by PyTorch but unallocated.",
       device_out_of_memory,
       {{capacity, 79.1 * kGib},
        {free, 210.38 * kMib},
        {process, 69.38 * kGib},
        {unallocated, 336.73 * kMib}}},
      {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
       "capacity of 79.25 GiB of which 1.16 GiB is free. Including non-PyTorch memory, this "
       "process has 78.06 GiB memory in use. Of the allocated memory 70.00 GiB is allocated by "
       "PyTorch, with 12.50 GiB allocated in private pools (e.g., CUDA Graphs), and 6.00 GiB is "
       "reserved by PyTorch but unallocated.",
       device_out_of_memory,
       {{pools, 12.5 * kGib}, {allocated, 70 * kGib}, {unallocated, 6 * kGib}}},
      {"RuntimeError: HIP out of memory. Tried to allocate 576.00 MiB (GPU 3; 15.98 GiB total "
       "capacity; 15.83 GiB already allocated; 0 bytes free; 15.84 GiB reserved in total by "
       "PyTorch)",
       device_out_of_memory,
       {{asked, 576 * kMib}, {allocated, 15.83 * kGib}}},
      {"torch.OutOfMemoryError: HIP out of memory. Tried to allocate 3.31 GiB. GPU 0 has a total "
       "capacity of 191.98 GiB of which 780.24 MiB is free. Of the allocated memory 187.70 GiB is "
       "allocated by PyTorch, and 75.82 MiB is reserved by PyTorch but unallocated.",
       device_out_of_memory,
       {{capacity, 191.98 * kGib}, {asked, 3.31 * kGib}}},
      {"RuntimeError: NPU out of memory. Tried to allocate 20.00 MiB (NPU 0; 60.97 GiB total "
       "capacity; 59.90 GiB already allocated; 59.90 GiB current active; 13.90 MiB free; 60.10 "
       "GiB reserved in total by PyTorch)",
       device_out_of_memory,
       {{allocated, 59.9 * kGib}, {free, 13.9 * kMib}, {reserved, 60.1 * kGib}}},
      {"torch.OutOfMemoryError: XPU out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total "
       "capacity of 63.98 GiB. Of the allocated memory 60.00 GiB is allocated by PyTorch, and "
       "1.20 GiB is reserved by PyTorch but unallocated.",
       device_out_of_memory,
       {{allocated, 60 * kGib}, {unallocated, 1.2 * kGib}}},
      {"RuntimeError: MPS backend out of memory (MPS allocated: 17.88 GB, other allocations: "
       "384.00 KB, max allowed: 18.13 GB). Tried to allocate 256.00 MB on private pool.",
       device_out_of_memory,
       {{asked, 256 * kMib}, {allocated, 17.88 * kGib}, {allowed, 18.13 * kGib}}},
      {"torch.cuda.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of "
       "memory)\nCurrently allocated     : 14.96 GiB\nRequested               : 20.00 MiB\n"
       "Device limit            : 15.77 GiB\nFree (according to CUDA): 15.12 MiB\n",
       device_out_of_memory,
       {{allocated, 14.96 * kGib},
        {asked, 20 * kMib},
        {capacity, 15.77 * kGib},
        {free, 15.12 * kMib}}},
      {"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to "
       "allocate 4770354232 bytes.\nBufferAssignment OOM Debugging.\nBufferAssignment stats:\n"
       "             parameter allocation:  372.76MiB\n     preallocated temp allocation:    "
       "4.44GiB\n                 total allocation:   14.44GiB\n",
       xla_out_of_memory,
       {{asked, 4770354232.0},
        {program, 14.44 * kGib},
        {temporary, 4.44 * kGib},
        {arguments, 372.76 * kMib}}},
      {"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating "
       "4294967296 bytes.",
       xla_out_of_memory,
       {{asked, 4 * kGib}}},
      {"RESOURCE_EXHAUSTED: Failed to allocate request for 1.50GiB (1610612736B) on device "
       "ordinal 0",
       xla_out_of_memory,
       {{asked, 1.5 * kGib}}},
      {"RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space "
       "hbm. Used 20.47G of 15.48G hbm. Exceeded hbm capacity by 4.99G.",
       xla_out_of_memory,
       {{program, 20.47 * kGib}, {capacity, 15.48 * kGib}}},
      {"Execution of replica 0 failed: Resource exhausted: Out of memory while trying to allocate "
       "5520758552 bytes.",
       xla_out_of_memory,
       {{asked, 5520758552.0}}},
      {"RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling "
       "`cublasCreate(handle)`",
       outside_allocator,
       {}},
      {"RuntimeError: CUDA error: out of memory", outside_allocator, {}},
      {"RuntimeError: cuda runtime error (2) : out of memory at /pytorch/aten/src/THC/generic",
       outside_allocator,
       {}},
      {"node1:99:120 [3] NCCL WARN Cuda failure 2 'out of memory'", outside_allocator, {}},
      {"RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't "
       "allocate memory: you tried to allocate 271540224000 bytes. Error code 12",
       host_out_of_memory,
       {{asked, 271540224000.0}}},
      {"[12345.6] Out of memory: Killed process 4242 (python) total-vm:123456kB, "
       "anon-rss:104857600kB, file-rss:0kB",
       host_out_of_memory,
       {{host_used, 100 * kGib}}},
      {"slurmstepd: error: Detected 1 oom-kill event(s) in StepId=1.0.", host_out_of_memory, {}},
      {"  exitcode  : -9 (pid: 4242)", host_out_of_memory, {}},
      {"[rank5]:[W CUDACachingAllocator.cpp:3933] memory allocation failed with OOM on device 5\n"
       "  while trying to allocate 671088640 bytes (free: 513736704, total: 85095874560).",
       device_out_of_memory,
       {{asked, 671088640}, {free, 513736704}, {capacity, 85095874560}}},
      {"ResourceExhaustedError:\n\nOut of memory error on GPU 0. Cannot allocate 98.000244MB "
       "memory "
       "on GPU 0, 6.000000GB memory has been allocated and available memory is only 0.000000B.",
       device_out_of_memory,
       {{asked, 98.000244 * kMib}, {allocated, 6 * kGib}, {free, 0}}},
      {"RuntimeError: Device(id:0) memory isn't enough and alloc failed, kernel name: Default, "
       "alloc size: 4294967296B.",
       device_out_of_memory,
       {{asked, 4 * kGib}}},
      {"FATAL ERROR :: MODULE:PT_DEVMEM Allocation failed for size::1073741824 (1024)MB",
       device_out_of_memory,
       {{asked, kGib}}},
      {"ERROR TDRV:dmem_alloc_internal Failed to alloc DEVICE memory: 1073741824",
       device_out_of_memory,
       {{asked, kGib}}},
      {"RuntimeError: Could not allocate tensor with 1073741824 bytes. There is not enough GPU "
       "video memory available!",
       device_out_of_memory,
       {{asked, kGib}}},
      {"Error named symbol not found\nCUDA out of memory\n", device_out_of_memory, {}},
      {"ValueError: Free memory on device (67.24/79.25 GiB) on startup is less than desired GPU "
       "memory utilization (0.9, 71.33 GiB). Decrease GPU memory utilization or reduce GPU memory "
       "used by other processes.",
       engine_out_of_memory,
       {{free, 67.24 * kGib}, {capacity, 79.25 * kGib}, {asked, 71.33 * kGib}}},
      {"ValueError: To serve at least one request with the models's max seq len (131072), (16.00 "
       "GiB "
       "KV cache is needed, which is larger than the available KV cache memory (12.35 GiB).",
       engine_out_of_memory,
       {{asked, 16 * kGib}, {free, 12.35 * kGib}}},
      {"RuntimeError: DataLoader worker (pid 1) is killed by signal: Bus error. It is possible "
       "that "
       "dataloader's workers are out of shared memory.",
       shared_memory,
       {}},
      {"pid=1, memory used=120.35GB) was running was 501.30GB / 503.55GB, the node running low on "
       "memory; was killed due to the node running low on memory",
       host_out_of_memory,
       {}},
      {"memory allocation of 2097152 bytes failed", host_out_of_memory, {{asked, 2097152}}},
      {"slurm_script: line 28:  8156 Killed                  python3 main.py",
       host_out_of_memory,
       {}},
      {"      Reason:       OOMKilled\n      Exit Code:    137", host_out_of_memory, {}},
      {"failed: Resource exhausted: Out \nof memory while trying to allocate 5520758552 bytes.",
       xla_out_of_memory,
       {{asked, 5520758552}}},
      {"OOM when allocating tensor with shape[32,12,512,512] and type float",
       xla_out_of_memory,
       {}},
  };
  return all;
}

}  // namespace

TEST_CASE("every spelling gives its kind and its bytes") {
  for (const Spelling& s : spellings()) {
    CAPTURE(s.text);
    const MemoryMessage m = only(s.text);
    CHECK(m.kind == s.kind);
    for (const Expected& e : s.bytes) {
      CAPTURE(name_of(e.stated));
      REQUIRE(m[e.stated]);
      CHECK(m[e.stated]->si() == about(e.bytes));
    }
  }
}

TEST_CASE("a message that wraps, or stands behind colours, is read as it was written") {
  std::string text = spellings()[6].text;
  text.replace(text.find(". GPU 3") + 1, 1, "\n");
  const MemoryMessage m = only("\x1b[31m" + text + "\x1b[0m\n" + text);
  CHECK(m.count == 2);
  CHECK(m[Stated::process]->si() == about(69.38 * kGib));
}

TEST_CASE("a summary of the allocator says what is held now and was at most") {
  const MemoryMessage m = only(
      "|===========================================================================|\n"
      "|                  PyTorch CUDA memory summary, device ID 0                 |\n"
      "|            CUDA OOMs: 1            |        cudaMalloc retries: 6         |\n"
      "|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |\n"
      "| Allocated memory      |    1062 MB |    4877 MB |   89299 MB |   88237 MB |\n"
      "| GPU reserved memory   |   12420 MB |   12420 MB |   16924 MB |    4504 MB |\n"
      "| Non-releasable memory |     313 MB |    7542 MB |   83361 MB |   83047 MB |\n");
  CHECK(m.kind == MessageKind::memory_summary);
  CHECK(m.retries == 6);
  CHECK(m[Stated::allocated]->si() == 1062 * kMib);
  CHECK(m[Stated::peak_allocated]->si() == 4877 * kMib);
  CHECK(m[Stated::reserved]->si() == 12420 * kMib);
  CHECK(m[Stated::inactive]->si() == 313 * kMib);
  CHECK(m[Stated::unallocated]->si() == (12420 - 1062) * kMib);
}

TEST_CASE("of DeepSpeed's reports the moment that holds most counts") {
  const MemoryMessage m = only(
      "[INFO] [utils.py:800:see_memory_usage] Before creating fp16 partitions\n"
      "[INFO] [utils.py:801:see_memory_usage] MA 1.00 GB         Max_MA 1.50 GB         CA 2.00 GB "
      "        Max_CA 2 GB\n"
      "[INFO] [utils.py:800:see_memory_usage] After initializing ZeRO optimizer\n"
      "[INFO] [utils.py:801:see_memory_usage] MA 7.12 GB         Max_MA 9.25 GB         CA 9.5 GB  "
      "       Max_CA 10 GB\n"
      "[INFO] [utils.py:808:see_memory_usage] CPU Virtual Memory:  used = 40.5 GB, percent = 8%\n");
  CHECK(m.kind == MessageKind::memory_usage);
  CHECK(m.count == 2);
  CHECK(m.label == "After initializing ZeRO optimizer");
  CHECK(m[Stated::allocated]->si() == about(7.12 * kGib));
  CHECK(m[Stated::peak_allocated]->si() == about(9.25 * kGib));
  CHECK(m[Stated::peak_reserved]->si() == about(10 * kGib));
  CHECK(m[Stated::host_used]->si() == about(40.5 * kGib));
}

TEST_CASE("nvidia-smi's table gives memory, load and power of each GPU") {
  const MemoryMessage m = only(
      "| NVIDIA-SMI 535.104.05    Driver Version: 535.104.05   CUDA Version: 12.2     |\n"
      "|   0  NVIDIA H100 80GB HBM3          On  | 00000000:18:00.0 Off |           0 |\n"
      "| N/A   38C    P0             350W / 700W |  75032MiB / 81559MiB |     97%      Default |\n"
      "| 45%   35C    P8              N/A / 450W |    512MiB / 24564MiB |      0%      Default "
      "|\n");
  REQUIRE(m.devices.size() == 2);
  CHECK(m.devices[0].used.si() == 75032 * kMib);
  CHECK(m.devices[0].capacity.si() == 81559 * kMib);
  CHECK(*m.devices[0].load == 0.97);
  CHECK(m.devices[0].power->si() == 350);
  CHECK(m.devices[0].cap->si() == 700);
  CHECK(!m.devices[1].power);
}

TEST_CASE("a text without a message gives none") {
  CHECK(read_memory_messages("iteration 10/ 100 | elapsed time per iteration (ms): 12.0").empty());
  CHECK(read_memory_messages("").empty());
}

TEST_CASE("amounts without a number, or beyond any memory, are none") {
  CHECK(!leading_amount("GiB"));
  CHECK(!leading_amount("12"));
  CHECK(leading_amount("12", true)->si() == 12);
  CHECK(!leading_amount("99999999999999999999 GiB"));
  CHECK(!amount_before("is free.", "is free."));
  CHECK(leading_amount("1,024.5 KiB")->si() == 1024.5 * 1024);
}

TEST_CASE("rows of nccl-tests are read from a cut output, with and without operation and root") {
  const std::vector<NcclRow> rows = read_nccl_rows(
      "……\n"
      "8589934592  2147483648  float  sum  -1  33620  255.50  479.06  0  33608  255.59  479.23  0\n"
      "…\n"
      "1024  32  float    12.5  0.08  0.07  0  12.4  0.08  0.07  0\n"
      "  1048576  16384  half  none  50.0  20.97  19.66  N/A\n"
      "  # Avg bus bandwidth    : 111\n");
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].bus.si() == about(479.06e9));
  CHECK(rows[0].time.si() == about(33620e-6));
  CHECK(rows[1].time.si() == about(12.5e-6));
  CHECK(rows[2].bus.si() == about(19.66e9));
}

TEST_CASE("a container's process of 0 bytes is no amount") {
  const MemoryMessage m = only(
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 3 has a total "
      "capacity of 23.43 GiB of which 210.06 MiB is free. Including non-PyTorch memory, this "
      "process has 0 bytes memory in use. Of the allocated memory 22.41 GiB is allocated by "
      "PyTorch, and 206.09 MiB is reserved by PyTorch but unallocated.");
  CHECK(!m[Stated::process]);
  CHECK(m[Stated::allocated]->si() == about(22.41 * kGib));
}

TEST_CASE("an engine's lines and the traceback beside an error are read") {
  const char* oom =
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.49 GiB. GPU 7 has a total "
      "capacity of 79.10 GiB of which 1.80 GiB is free.\n";
  const MemoryMessage share =
      only(std::string("the current vLLM instance can use total_gpu_memory (79.10GiB) x "
                       "gpu_memory_utilization (0.90) = 71.19GiB\n") +
           oom);
  CHECK(share[Stated::engine]->si() == about(71.19 * kGib));
  const MemoryMessage asleep = only(
      std::string("Sleep mode freed 51.57 GiB memory, 49.25 GiB memory is still in use.\n") + oom);
  CHECK(asleep[Stated::engine_asleep]->si() == about(49.25 * kGib));
  const MemoryMessage cache = only(
      std::string("KV Cache is allocated. #tokens: 9, K size: 10.20 GB, V size: 10.20 GB\n") + oom);
  CHECK(cache[Stated::engine]->si() == about(10.2 * kGib));
  const MemoryMessage saving =
      only(std::string("File \"modules.py\", line 336, in _save_to_state_dict\n") + oom);
  CHECK(saving.moment == JobMoment::saving);
  const MemoryMessage resuming =
      only(std::string("File \"trainer.py\", line 2115, in _inner_training_loop\n"
                       "  self._load_optimizer_and_scheduler(resume_from_checkpoint)\n") +
           oom);
  CHECK(resuming.moment == JobMoment::resuming);
  const MemoryMessage inside = only(
      std::string("File \"/site-packages/vllm/v1/worker/gpu_worker.py\", line 9, in load\n") + oom);
  CHECK(inside.moment == JobMoment::generating);
}

TEST_CASE("an engine's own words name it without a traceback") {
  const MemoryMessage m = only(
      "RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy "
      "requests. Please try lowering `max_num_seqs` or `gpu_memory_utilization` when "
      "initializing the engine.");
  CHECK(m.kind == MessageKind::device_out_of_memory);
  CHECK(m.form == "vLLM's out-of-memory error while it warms up");
  CHECK(m.moment == JobMoment::generating);
}

TEST_CASE("Ray states the task and the node") {
  const MemoryMessage m = only(
      "Task was killed due to the node running low on memory.\nMemory on the node where the "
      "task (pid=1234, memory used=205.32GB) was running was 1007.60GB / 1007.60GB (0.953)");
  CHECK(m[Stated::host_used]->si() == about(205.32 * kGib));
  CHECK(m[Stated::host_node]->si() == about(1007.6 * kGib));
}

TEST_CASE("a program that Neuron's runtime cannot load is Neuron's") {
  CHECK(only("RESOURCE_EXHAUSTED: Failed to load NEFF: NRT_RESOURCE: Not enough device memory.")
            .maker == DeviceMaker::neuron);
}

TEST_CASE("DeepSpeed's cache flushes are a message of their own") {
  const MemoryMessage m = only("2 pytorch allocator cache flushes since last step. this happens\n");
  CHECK(m.kind == MessageKind::allocator_flushes);
  CHECK(m.retries == 2);
}

TEST_CASE("a TPU's runtime and its list of allocations are read") {
  const MemoryMessage runtime = only(
      "(1) Resource exhausted: Attempting to allocate 180.59M. That was not possible. There are "
      "142.58M free.; (0x3x0_HBM1)");
  CHECK(runtime[Stated::asked]->si() == about(180.59 * kMib));
  CHECK(runtime[Stated::free]->si() == about(142.58 * kMib));
  CHECK(runtime.maker == DeviceMaker::tpu);
  const MemoryMessage listed = only(
      "RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. "
      "Used 63.80G of 30.75G hbm.\n  Largest program allocations in hbm:\n  1. Size: 2.00G\n"
      "     Operator: op_name=\"jit(step)/h/0/self_attention/dot_general[x]\"\n"
      "     Shape: f32[32,4096,4096]{1,2,0:T(8,128)}\n");
  REQUIRE(listed.holders.size() == 1);
  CHECK(is_attention_scores(listed.holders[0].where));
  CHECK(listed.holders[0].size.si() == about(2 * kGib));
}

}  // namespace orrery
