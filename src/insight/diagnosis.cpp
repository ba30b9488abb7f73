// SPDX-License-Identifier: Apache-2.0
#include "insight/diagnosis.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "document/words.h"
#include "exchange/kineto/trace_events.h"
#include "exchange/snapshot/pickle.h"
#include "exchange/text_lines.h"
#include "hardware/cluster_links.h"
#include "insight/maker_words.h"
#include "insight/nccl_causes.h"
#include "insight/profile_losses.h"
#include "insight/settings.h"

namespace orrery {
namespace {

constexpr const char* kReads =
    "a training log, an out-of-memory message (PyTorch's, XLA's, the host's), "
    "torch.cuda.memory_summary() or a snapshot of it, DeepSpeed's see_memory_usage, a profiler's "
    "trace (Kineto), nccl-tests' output, NCCL's lines of NCCL_DEBUG=INFO, nvidia-smi";

// Texts that are known and say nothing of speed or memory.
struct OtherText {
  std::string_view mark;
  const char* found;
  const char* allowed;
};
constexpr std::array kOtherTexts = {
    OtherText{"illegal memory access",
              "an illegal memory access, a fault of a kernel and no lack of memory",
              "the log before it; compute-sanitizer or CUDA_LAUNCH_BLOCKING=1 find the kernel"},
    OtherText{"Watchdog caught collective operation timeout",
              "a collective that timed out: a rank failed or fell behind before it",
              "the log of the rank that does not report it, where the cause stands"},
    OtherText{
        "out of resource: shared memory",
        "a Triton kernel that needs more shared memory of a multiprocessor than this GPU has, "
        "and no lack of its memory",
        "smaller blocks or fewer num_stages of that kernel; another kernel in its place"},
    OtherText{"iter time:", "a log of LitGPT, whose iterations are micro batches",
              "a log with tokens or samples a second"},
    OtherText{"memory usage after", "axolotl's memory while it loads, before the first step",
              "the log of its steps, with the progress bar"},
    OtherText{"Setting work unit notes:", "lines of CLU's progress (JAX), whose rate is rounded",
              "a log with the time of a step, or a profiler's trace"},
    OtherText{"'learning_rate':", "lines of Hugging Face's Trainer that say no time",
              "its log with the progress bar, or the last line (train_runtime)"},
};

void refuse_other_text(const std::string& text, const std::string& file) {
  for (const OtherText& t : kOtherTexts) {
    if (contains(text, t.mark)) throw InputError(file, "", t.found, t.allowed);
  }
}

std::optional<TrainingLog> log_in(const std::string& text, const std::string& file) {
  try {
    return read_training_log(text, file);
  } catch (const InputError&) {
    return {};  // the text may be something else; if it is nothing, that is said
  }
}

// Causes of a library's handle that cannot be made; their shares are judgements.
std::vector<DiagnosedCause> causes_of_unstarted(const MemoryMessage& m) {
  return {
      {"PyTorch's cache left no memory for the library's handle",
       "a handle is made at its first call, of memory that is not PyTorch's",
       std::string(kMakerWords[m.maker].list_processes) + ", just before the call",
       "a smaller micro batch, torch.cuda.set_per_process_memory_fraction(0.9), or a call of "
       "the library before the first step",
       "", 0.5},
      {"an earlier kernel failed, and this call is the first to report it: a label or a token "
       "beyond the vocabulary",
       "errors of kernels come with a later call",
       "the same step with CUDA_LAUNCH_BLOCKING=1, or on the CPU",
       "indices within the number of classes; the embedding resized to the tokenizer", "", 0.35},
      {"the library is not the one that this PyTorch was built for", "it fails at its first call",
       "python -m torch.utils.collect_env",
       "PyTorch reinstalled with its own CUDA libraries; LD_LIBRARY_PATH without others", "",
       0.15}};
}

// Causes that need no numbers.
std::vector<DiagnosedCause> causes_outside(const MemoryMessage& m) {
  if (m.form == kUnstartedLibrary) return causes_of_unstarted(m);
  const DiagnosedCause other = {"another process or an inference engine is on the GPU",
                                "the message does not say how much is free",
                                kMakerWords[m.maker].list_processes,
                                "end what was left over",
                                "",
                                0.3};
  // The pool that vLLM fills anew when it wakes, beside what the learner holds.
  if (m.form.find("sleep mode") != std::string::npos) {
    return {{"the engine wakes and finds too little memory free",
             "its sleep mode (cumem_allocator) allocates weights and cache anew",
             std::string(kMakerWords[m.maker].list_processes) + ", just before a rollout",
             "a smaller share of the engine (vLLM: gpu_memory_utilization; verl: "
             "rollout.gpu_memory_utilization; --memory-share of a run with --rl), or offload of "
             "the learner's weights and optimizer",
             "", 0.7},
            other};
  }
  return {{"PyTorch's allocator left no space for a library's own memory",
           "the allocation was not PyTorch's: its cache does not give way to others",
           "torch.cuda.memory_reserved() just before; " +
               std::string(kMakerWords[m.maker].list_processes),
           "leave some: a smaller micro batch, torch.cuda.set_per_process_memory_fraction(0.9), "
           "or a call of the library before the first step",
           "", 0.7},
          other};
}

std::vector<DiagnosedCause> causes_of_flushes(const MemoryMessage& m) {
  return {{"memory is nearly full: the allocator gives its cache back and waits for the GPU",
           "up to " + grouped(m.retries) + " a step, in " + counted(m.count, "line"),
           "torch.cuda.memory_summary(): cudaMalloc retries",
           "a smaller micro batch, more recompute or sharding; until then "
           "get_accelerator().empty_cache() every few steps, so that all ranks flush at once",
           "", 1}};
}

// Ray states the task that it ended and the node beside it.
std::string host_evidence(const MemoryMessage& m) {
  const auto& node = m[Stated::host_node];
  if (const auto& used = m[Stated::host_used]) {
    return gib_text(*used) + " were resident in the " + (node ? "task" : "process") +
           " that was ended" + (node ? ", " + gib_text(*node) + " in use on the node" : "");
  }
  if (node) return gib_text(*node) + " were in use on the node";
  if (const auto& asked = m[Stated::asked]) return gib_text(*asked) + " were asked for";
  return "the text does not say how much was used";
}

// An engine takes a share of the device when it starts, and finds it taken or too small.
std::vector<DiagnosedCause> causes_of_engine(const MemoryMessage& m) {
  const auto& free = m[Stated::free];
  const auto& capacity = m[Stated::capacity];
  if (free && capacity) {
    return {{"the trainer or another process holds memory when the engine starts",
             gib_text(*capacity - *free) + " of " + gib_text(*capacity) + " are taken",
             "nvidia-smi lists the processes of each GPU",
             "end what was left over; a smaller gpu_memory_utilization (SGLang: "
             "mem_fraction_static); offload or sleep of the trainer before the engine starts",
             "", 1}};
  }
  const auto& asked = m[Stated::asked];
  const std::string needs = asked && free ? gib_text(*asked) + " are needed for one request, " +
                                                gib_text(*free) + " are left"
                                          : "nothing is left for the cache of requests";
  return {
      {"the engine's share is too small beside its weights", needs,
       "weights of one rank against gpu_memory_utilization times the device",
       "a larger gpu_memory_utilization (SGLang: mem_fraction_static), a shorter max_model_len, "
       "or more tensor parallelism of the engine",
       "", 1}};
}

std::vector<DiagnosedCause> causes_of_shared_memory() {
  return {
      {"/dev/shm is smaller than the batches that workers hand over",
       "a worker of the data loader met a bus error", "df -h /dev/shm while the job runs",
       "docker run --ipc=host or --shm-size=64g (an emptyDir of medium Memory in Kubernetes), or "
       "fewer workers",
       "", 1}};
}

DiagnosedCause offloaded_cause(const RunReport& r) {
  const Answer& a = r.answer;
  const std::string of = a.host_capacity > Bytes() ? " of " + gib_text(a.host_capacity) : "";
  const bool is_full = a.reason == Reason::host_memory;
  return {"what is offloaded does not fit the host",
          "predicted " + gib_text(a.host_needed) + of + " of a node",
          "free -g while the job starts",
          "offload less, or to NVMe",
          "",
          is_full ? 0.6 : 0.2};
}

constexpr double kMostOfNode = 0.5;  // from here on the task itself is the largest [judgement]

// Where pinned memory ends before the host's does.
DiagnosedCause cause_of_unpinned() {
  return {"pinned memory is limited below the host's",
          "the call that pins it failed",
          "ulimit -l; in WSL, half of the machine at most",
          "ulimit -l unlimited (memlock), pin_memory false, or less that is offloaded",
          "",
          0.6};
}

std::vector<DiagnosedCause> causes_of_host(const MemoryMessage& m, const RunReport* r) {
  std::vector<DiagnosedCause> causes;
  if (r != nullptr && r->answer.host_needed > Bytes()) causes.push_back(offloaded_cause(*r));
  if (m.form == kUnpinned) causes.push_back(cause_of_unpinned());
  causes.push_back({"every rank loads the whole checkpoint into host memory", host_evidence(m),
                    "resident memory of each rank while the model loads",
                    "low_cpu_mem_usage, meta devices, or loading on rank 0 alone", "", 0.35});
  causes.push_back({"workers of the data loader each hold a copy of the data", host_evidence(m),
                    "the same job with no workers", "fewer workers, memory-mapped data", "", 0.3});
  causes.push_back({"the job's limit is below the machine's memory (Slurm --mem, a container)",
                    host_evidence(m), "the cgroup's memory.max, sacct's MaxRSS beside ReqMem",
                    "ask for more memory", "", 0.2});
  const auto& used = m[Stated::host_used];
  const auto& node = m[Stated::host_node];
  if (used && node && *used / *node < kMostOfNode) {
    causes.insert(causes.begin(),
                  {"other processes of the node hold most of its memory", host_evidence(m),
                   "ps aux --sort=-rss and `ray memory` on the node",
                   "fewer workers of a node, a smaller object store (object_store_memory), "
                   "weights and states that are loaded by one worker at a time",
                   "", 0.8});
  }
  double sum = 0;
  for (const DiagnosedCause& c : causes) sum += c.probability;
  for (DiagnosedCause& c : causes) c.probability /= sum;
  return causes;
}

// Shares from which a table of GPUs says something [judgement].
constexpr double kBusy = 0.8;
constexpr double kIdle = 0.5;
constexpr double kAtCap = 0.97;
constexpr double kUneven = 0.1;  // of the device's memory
constexpr double kNothingRuns = 0.02;
constexpr double kHeld = 0.5;      // of the memory, where nothing runs
constexpr double kOneHolds = 0.5;  // of the memory of the one that works

struct DeviceCounts {
  std::int64_t busy = 0;
  std::int64_t idle = 0;
  std::int64_t capped = 0;
  std::int64_t held = 0;   // whose memory is taken while nothing runs
  std::int64_t still = 0;  // on which nothing runs
  Bytes least{};
  Bytes most{};
  Watts cap{};  // of one that draws it
};

DeviceCounts counts_of(const std::vector<ListedDevice>& devices) {
  DeviceCounts c;
  c.least = c.most = devices.front().used;
  for (const ListedDevice& d : devices) {
    if (d.load && *d.load >= kBusy) ++c.busy;
    if (d.load && *d.load < kIdle) ++c.idle;
    if (d.load && *d.load <= kNothingRuns) ++c.still;
    if (d.load && *d.load <= kNothingRuns && d.used > d.capacity * kHeld) ++c.held;
    if (d.power && d.cap && *d.power / *d.cap >= kAtCap) {
      ++c.capped;
      c.cap = *d.cap;
    }
    c.least = std::min(c.least, d.used);
    c.most = std::max(c.most, d.used);
  }
  return c;
}

// Findings of the table; it is one moment, so that each is as likely as any other.
std::vector<DiagnosedCause> causes_of_devices(const std::vector<ListedDevice>& devices) {
  const DeviceCounts c = counts_of(devices);
  const auto n = static_cast<std::int64_t>(devices.size());
  std::vector<DiagnosedCause> causes;
  if (c.held == n) {
    causes.push_back({"a process holds memory and computes nothing: one that is over or hangs",
                      "all " + grouped(n) + " at no load, with up to " + gib_text(c.most, 1) +
                          " of " + gib_text(devices.front().capacity, 1) + " in use",
                      "nvidia-smi lists the processes of each GPU; fuser -v /dev/nvidia*",
                      "end that process before the next run", "", 0});
  }
  const bool is_one = n > 1 && c.busy == 1 && c.still == n - 1 && c.least < c.most * kOneHolds;
  if (is_one) {
    causes.push_back(
        {"one of " + grouped(n) + " GPUs works: a script that uses one, or DataParallel",
         "one above " + percent(kBusy, 0) + " load, the others at none with at least " +
             gib_text(c.least, 1) + " in use beside " + gib_text(c.most, 1),
         "how many processes nvidia-smi lists; the launch command",
         "one process a GPU (torchrun --nproc_per_node=" + grouped(n) +
             ", accelerate launch) with DistributedDataParallel or FSDP; "
             "DataParallel gathers on the first GPU",
         "", 0});
  } else if (c.idle == n) {
    causes.push_back({"all GPUs wait: for data, the host or another node",
                      "all " + grouped(n) + " are below " + percent(kIdle, 0) + " load",
                      "the load over ten seconds (nvidia-smi dmon); a profile of one step",
                      "more workers of the data loader, a graph or a compiled step", "", 0});
  } else if (c.idle > 0 && c.busy > 0) {
    causes.push_back({"some GPUs wait for others",
                      grouped(c.idle) + " of " + grouped(n) + " are below " + percent(kIdle, 0) +
                          " load, " + grouped(c.busy) + " above " + percent(kBusy, 0),
                      "the load over ten seconds (nvidia-smi dmon)",
                      "even stages, even experts; a slow GPU out of the job", "", 0});
  }
  if (c.capped > 0) {
    const std::vector<Setting> cap = {{"cluster.power_cap", exact(c.cap)}};
    causes.push_back({"power limits the clock",
                      grouped(c.capped) + " of " + grouped(n) + " draw their limit",
                      "nvidia-smi -q -d PERFORMANCE: SW Power Cap", "a higher power limit",
                      typed(cap), 0, false, cap});
  }
  if (!is_one && c.most - c.least > devices.front().capacity * kUneven) {
    causes.push_back({"memory is uneven: stages, or another process on some GPUs",
                      gib_text(c.least, 1) + " to " + gib_text(c.most, 1),
                      "nvidia-smi lists the processes of each GPU",
                      "stages of fewer layers at the ends (stage_layers), or end what is left over",
                      "", 0});
  }
  for (DiagnosedCause& cause : causes) cause.probability = 1.0 / static_cast<double>(causes.size());
  return causes;
}

constexpr double kMuchUnused =
    0.2;  // of what is reserved; PyTorch rounds blocks to 2 MiB [judgement]

// A state of the allocator beside no run: what it holds, tensors or gaps between them.
std::vector<DiagnosedCause> causes_of_state(const MemoryMessage& m) {
  const auto& reserved = m[Stated::peak_reserved] ? m[Stated::peak_reserved] : m[Stated::reserved];
  const auto& used = m[Stated::peak_allocated] ? m[Stated::peak_allocated] : m[Stated::allocated];
  if (!reserved || !used || !(*reserved > Bytes())) return {};
  const double unused = 1 - std::min<double>(1, *used / *reserved);
  const std::string evidence =
      gib_text(*used, 1) + " of " + gib_text(*reserved, 1) + " that were reserved are of tensors";
  if (unused > kMuchUnused) {
    return {{"blocks of the allocator that no tensor of another size fits into", evidence,
             "torch.cuda.memory_summary() with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
             "expandable_segments:True, fewer different lengths of sequence; the cache itself "
             "gives way before memory runs out",
             "", 0.7},
            {"a step before this one needed more", evidence, "the same at every step",
             "the longest sequence first", "", 0.3}};
  }
  return {{"tensors hold it: weights, states and activations of this training", evidence,
           "the same run beside it: --model, --node, --sequence-length and --global-batch name "
           "the parts",
           "a smaller micro batch, more recompute or sharding", "", 0.9},
          {"tensors that nothing needs any more are still referenced", evidence,
           "allocated memory at the same point of several steps: it grows", "losses by .item()", "",
           0.1}};
}

std::vector<DiagnosedCause> causes_of_message(const MemoryMessage& m, const RunReport* r) {
  switch (m.kind) {
    case MessageKind::device_out_of_memory:
    case MessageKind::xla_out_of_memory:
      return memory_causes_of(m, r);
    case MessageKind::memory_snapshot:
      return r == nullptr && !m[Stated::asked] ? std::vector<DiagnosedCause>()
                                               : memory_causes_of(m, r);
    case MessageKind::memory_summary:
    case MessageKind::memory_usage:
      return r == nullptr ? causes_of_state(m) : memory_causes_of(m, r);
    case MessageKind::outside_allocator:
      return causes_outside(m);
    case MessageKind::engine_out_of_memory:
      return causes_of_engine(m);
    case MessageKind::shared_memory:
      return causes_of_shared_memory();
    case MessageKind::host_out_of_memory:
      return causes_of_host(m, r);
    case MessageKind::allocator_flushes:
      return causes_of_flushes(m);
    case MessageKind::device_list:
      return causes_of_devices(m.devices);
  }
  return {};
}

void take_message(MemoryMessage m, Diagnosis& d) {
  auto causes = causes_of_message(m, d.run ? &*d.run : nullptr);
  d.messages.push_back({std::move(m), std::move(causes)});
}

// Steps of a trace are a log's.
void take_profile(StepProfile p, Diagnosis& d) {
  if (p.step_time) {
    d.log.emplace();
    d.log->form = "a profiler's trace";
    d.log->steps = static_cast<std::size_t>(p.steps);
    d.log->step_time = p.step_time;
  }
  d.losses = losses_of(p);
  d.profile = std::move(p);
}

void take_links(const std::string& text, Diagnosis& d) {
  d.nccl = read_nccl_setup(text);
  if (!d.nccl) return;
  const bool is_one_node = d.run && network_rate(d.run->resolved.run.cluster) == BytesPerSecond();
  d.link_causes = causes_of_setup(*d.nccl, is_one_node);
}

void take_lines(const std::string& text, const std::string& file, Diagnosis& d) {
  for (MemoryMessage& m : read_memory_messages(text)) take_message(std::move(m), d);
  d.collectives = read_nccl_rows(text);
  take_links(text, d);
  if (d.collectives.empty()) d.log = log_in(text, file);
  if (!d.messages.empty() || !d.collectives.empty() || d.log || d.nccl) return;
  refuse_other_text(text, file);
  throw InputError(file, "", "nothing that says how a run went", kReads);
}

}  // namespace

Diagnosis diagnosis_of(const std::string& text, const std::string& file,
                       std::optional<RunReport> run) {
  Diagnosis d;
  d.file = file;
  d.run = std::move(run);
  if (is_pickle(text)) {
    take_message(snapshot_message(text, file), d);
  } else if (has_trace_events(text)) {
    take_profile(read_step_profile(text, file), d);
  } else {
    take_lines(text, file, d);
  }
  return d;
}

}  // namespace orrery
