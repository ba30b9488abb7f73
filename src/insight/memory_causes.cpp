// SPDX-License-Identifier: Apache-2.0
#include "insight/memory_causes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/enum_names.h"
#include "core/json.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/estimate.h"
#include "estimate/least_recompute.h"
#include "estimate/resolve.h"
#include "estimate/risk.h"
#include "estimate/run_warnings.h"
#include "estimate/training_keys.h"
#include "estimate/workspace.h"
#include "exchange/messages/xla_allocations.h"
#include "insight/hypotheses.h"
#include "insight/known_tensors.h"
#include "insight/limiter.h"
#include "insight/maker_words.h"
#include "insight/run_report.h"
#include "parallel/rules.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr double kLeastCause = 0.02;
// Weights of what a message alone says [judgement].
constexpr double kOwnNeed = 0.5;
constexpr double kClear = 1.0;
constexpr double kPossible = 0.25;
constexpr double kUnlikely = 0.02;
constexpr double kRefused = 0.5;  // each of two ways in which free memory is refused
constexpr double kEngine = 2;  // beside the job's own need, which the engine's share makes scarce
constexpr double kMoment = 2;  // that the text itself names
constexpr double kMomentOfLoading = 0.5;  // weights are loaded for the step as well
// Shares of the device from which a part matters [judgement].
constexpr double kMatters = 0.1;
constexpr double kPieces = 0.05;      // of the allocator's cache; an ordinary one holds less
constexpr double kManyPieces = 0.15;  // beside tensors that do not fill the device themselves
constexpr double kLimited = 0.99;
// The device's own use beside a process whose total is not stated: context and libraries.
constexpr double kBesideProcess = 3 * 0x1p30;
// The weight of a tensor that the run as it is described does not keep.
constexpr double kNotKept = 0.1;         // [judgement]
constexpr double kOwnPriorOfRun = 0.34;  // as of a step (causes.cpp)
constexpr double kLargerBatches = 0.2;   // where nobody gave their size [judgement]
constexpr double kGiven = 0.3;        // of the prior where the user gave another value [judgement]
constexpr double kEncoders = 0.5;     // they explain what recompute does not [judgement]
constexpr double kBytesOfFrozen = 2;  // a parameter (training.frozen_parameters)
constexpr double kOfEncoders = 1e8;   // to which their number is rounded
constexpr double kNear = 0.95;        // of what was needed, by a prediction that explains it
constexpr double kNarrowestSpread = 0.05;
constexpr double kFarSpread = 0.2;  // of ln(stated/predicted) [judgement]

// Advice by the use of the tensor that did not fit.
struct TensorAdvice {
  const char* what;
  const char* check;
  const char* mend;
  const char* zero = nullptr;  // the stage that mends it
};
constexpr EnumArray<TensorUse, TensorAdvice> kTensorAdvice = {
    TensorAdvice{"logits and their loss", "the traceback ends in the loss or in lm_head",
                 "a fused or chunked loss (Liger's kernels, cut cross-entropy), a smaller micro "
                 "batch, or tensor parallelism over the vocabulary"},
    TensorAdvice{"attention scores, which flash attention does not keep",
                 "the traceback ends in softmax or in a product of queries and keys",
                 "flash attention (attn_implementation=\"flash_attention_2\", or sdpa)"},
    TensorAdvice{"activations of one layer", "the traceback ends in a layer's forward or backward",
                 "more recompute, a smaller micro batch, or context parallelism"},
    TensorAdvice{
        "a temporary of the optimizer's update", "the traceback ends in optimizer.step()",
        "a fused update (adamw_torch_fused, FusedAdam) or foreach=False, or more sharding"},
    TensorAdvice{"weights that are gathered, or a buffer as large",
                 "the traceback ends in an all-gather or in the first forward",
                 "resharding after forward, smaller buckets (reduce_bucket_size, "
                 "stage3_max_live_parameters)"},
};
// Where weights are not sharded, nothing gathers them.
constexpr TensorAdvice kWholeWeights = {
    "weights that every GPU holds whole, or a flat buffer of them",
    "the traceback ends in the setup of the optimizer or of its buffers",
    "ZeRO 3 or FSDP's full shard, which share the weights out among the GPUs", "3"};
// Where the update makes no lists of temporaries already.
constexpr TensorAdvice kFusedUpdate = {"a temporary of the optimizer's update",
                                       "the traceback ends in optimizer.step()",
                                       "more sharding (a higher ZeRO stage)"};

// Where the states are in as many shards as there are GPUs already.
constexpr TensorAdvice kShardedUpdate = {"a temporary of the optimizer's update",
                                         "the traceback ends in optimizer.step()",
                                         "more GPUs, or states on the host"};

// The probability that a lognormal peak about `predicted` reaches `needed`.
double reaches(Bytes predicted, Bytes needed, double spread) {
  if (!(predicted > Bytes())) return 0;
  const double sigma = std::max(kNarrowestSpread, spread);
  return 0.5 * std::erfc(std::log(needed / predicted) / (sigma * std::sqrt(2.0)));
}

class MemoryWeighing {
 public:
  MemoryWeighing(const MemoryMessage& m, const RunReport* r) : m_(m), r_(r) {}

  std::vector<DiagnosedCause> causes() {
    fragmentation();
    others();
    limited();
    pools();
    engine();
    moment();
    largest_allocation();
    // The engine's memory is no part of the learner's run.
    if (m_.moment != JobMoment::generating) r_ == nullptr ? need() : needs_of_run();
    double sum = 0;
    for (const DiagnosedCause& c : all_) sum += c.probability;
    for (DiagnosedCause& c : all_) c.probability = sum > 0 ? c.probability / sum : 0;
    std::stable_sort(all_.begin(), all_.end(),
                     [](const DiagnosedCause& a, const DiagnosedCause& b) {
                       return a.probability > b.probability;
                     });
    std::erase_if(all_, [](const DiagnosedCause& c) { return c.probability < kLeastCause; });
    return std::move(all_);
  }

 private:
  std::optional<Bytes> asked() const { return m_[Stated::asked]; }

  void fragmentation() {
    const auto& held = m_[Stated::unallocated];
    if (!held) return;
    const auto& whole = m_[Stated::capacity] ? m_[Stated::capacity] : m_[Stated::reserved];
    const auto& piece = m_[Stated::largest_piece];
    const auto& free = m_[Stated::free];
    // All pieces together would not have been enough.
    if (asked() && free && *free + *held < *asked()) return;
    const bool is_whole = piece && asked() && *piece >= *asked();
    const bool enough = asked() && *held >= *asked() && !is_whole;
    const double share = whole ? double(*held / *whole) : 1.0;
    all_.push_back({"the allocator's cache is in pieces (fragmentation)",
                    gib_text(*held) + " are reserved and not allocated" +
                        (piece ? ", " + gib_text(*piece) + " in the largest piece" : "") +
                        (asked() ? ", " + gib_text(*asked()) + " were asked for" : ""),
                    "torch.cuda.memory_summary(): non-releasable memory; a snapshot in "
                    "pytorch.org/memory_viz",
                    kMakerWords[m_.maker].unfragmented, "", weight_of_pieces(share, enough)});
  }

  // A device that tensors fill has few: what is reserved and not allocated is then ordinary slack.
  double weight_of_pieces(double share, bool enough) const {
    if (has_free() || share < kPieces) return kUnlikely;  // a new block would have been taken
    if (enough && share >= kManyPieces) return kClear;
    return enough || share >= kMatters ? kPossible : kUnlikely;
  }

  // More is free than was asked for: neither pieces nor the size of the job explain the error.
  bool has_free() const {
    const auto& free = m_[Stated::free];
    return free && asked() && *free > *asked();
  }

  const char* list_processes() const { return kMakerWords[m_.maker].list_processes; }

  void others() {
    if (m_[Stated::program]) return;  // of a program that was compiled and never ran
    const auto held = held_by_others(m_);
    if (!held && !(m_[Stated::free] && m_[Stated::capacity])) {
      all_.push_back({"another process or an inference engine is on the GPU",
                      m_[Stated::free] ? "the text does not say how much the device holds"
                                       : "the text does not say how much of the device is free",
                      list_processes(), "end what was left over", "", kPossible, true});
    }
    if (!held) return;
    const double share = *held / *m_[Stated::capacity];
    const bool would_do = asked() && *held >= *asked();
    all_.push_back({"another process or an inference engine is on the GPU", others_words(),
                    list_processes(),
                    "end what was left over, or lower the engine's share (vLLM's "
                    "gpu_memory_utilization)",
                    "", share >= kMatters ? (would_do ? kClear : kPossible) : kUnlikely, true});
  }

  std::string others_words() const {
    if (m_[Stated::process])
      return gib_text(*held_by_others(m_)) + " of the device are neither free nor this process's";
    const Bytes rest = *m_[Stated::capacity] - *m_[Stated::free] - *m_[Stated::reserved];
    return gib_text(rest) +
           " of the device are neither free nor held by this process's allocator; its context and "
           "libraries are up to " +
           gib_text(Bytes(kBesideProcess)) + " of them";
  }

  void limited() {
    const auto& allowed = m_[Stated::allowed];
    const auto& capacity = m_[Stated::capacity];
    if (allowed && capacity && *allowed / *capacity < kLimited) {
      all_.push_back({"this process may use a part of the device only",
                      gib_text(*allowed) + " of " + gib_text(*capacity) + " are allowed",
                      "calls of set_per_process_memory_fraction, MIG, MPS limits",
                      "raise the fraction", "", kClear, true});
      return;
    }
    if (has_free()) free_and_refused();
  }

  void free_and_refused() {
    const std::string found =
        gib_text(*m_[Stated::free]) + " are free, " + gib_text(*asked()) + " were asked for";
    all_.push_back(
        {"a limit keeps the free memory from this process", found,
         "set_per_process_memory_fraction, MIG or MPS limits, a container's limit; under "
         "Windows and WSL the driver's own, and host memory that is pinned",
         "raise the limit; under WSL more memory for it (.wslconfig)", "", kRefused, true});
    all_.push_back({"another process held it at that moment, and has given it back", found,
                    std::string(list_processes()) + "; other ranks' messages of the same second",
                    "one process a GPU (CUDA_VISIBLE_DEVICES, LOCAL_RANK), and the run again", "",
                    kRefused, true});
  }

  // An engine that generates on the trainer's GPUs.
  void engine() {
    const auto& share = m_[Stated::engine];
    const auto& asleep = m_[Stated::engine_asleep];
    const auto& of = m_[Stated::capacity];
    if (!share && !asleep) {
      outside_allocator();
      return;
    }
    const std::string found =
        asleep ? gib_text(*asleep) + " stay in use while the engine sleeps"
               : "the engine takes " + gib_text(*share) + (of ? " of " + gib_text(*of) : "");
    all_.push_back({"the inference engine's share leaves the trainer too little", found,
                    "the engine's first lines: what it takes, and what stays in use asleep",
                    "a smaller share: gpu_memory_utilization of vLLM (TRL: "
                    "vllm_gpu_memory_utilization, verl: rollout.gpu_memory_utilization), "
                    "mem_fraction_static of SGLang; or the engine on GPUs of its own; "
                    "--memory-share of a run with --rl",
                    "", kEngine, true});
  }

  // Libraries take up to 3 GiB. An engine's pool or another allocator holds the rest.
  void outside_allocator() {
    const auto& process = m_[Stated::process];
    const auto& reserved = m_[Stated::reserved];
    const auto& capacity = m_[Stated::capacity];
    if (!process || !reserved || !capacity) return;
    const Bytes outside = *process - *reserved;
    if (!(outside > Bytes(kBesideProcess)) || outside / *capacity < kMatters) return;
    all_.push_back({"memory of this process outside PyTorch's allocator",
                    gib_text(outside) + " of the process are not PyTorch's",
                    "an engine in the same process (its sleep mode has a pool of its own), NCCL's "
                    "buffers, another framework",
                    "a smaller share of the engine; fewer communicators", "", kPossible});
  }

  // The traceback says that no step was at work.
  // ": 61.34 GiB are 108,380 tokens of 151,936 logits in 4 bytes"
  std::string tokens_of_logits() const {
    constexpr double kBytesOfLogit = 4;
    if (r_ == nullptr || !asked()) return "";
    const Run& run = r_->resolved.run;
    const std::int64_t logits = run.model.vocab / run.strategy.tp;
    const double tokens = asked()->si() / (static_cast<double>(logits) * kBytesOfLogit);
    return ": " + gib_text(*asked()) + " are " + grouped(std::floor(tokens)) + " tokens of " +
           grouped(logits) + " logits in 4 bytes";
  }

  void moment() {
    switch (m_.moment) {
      case JobMoment::unknown:
        return;
      case JobMoment::saving:
        all_.push_back({"saving the checkpoint takes memory that no step needs",
                        "the traceback is in the saving of the state", "the step before it fitted",
                        "a sharded state dict (FSDP's SHARDED_STATE_DICT, DeepSpeed without "
                        "stage3_gather_16bit_weights_on_model_save), or one on the CPU "
                        "(offload_to_cpu=True, rank0_only=True); torch.cuda.empty_cache() before "
                        "it",
                        "", kMoment, true});
        return;
      case JobMoment::resuming:
        all_.push_back({"loading the checkpoint takes memory that no step needs",
                        "the traceback is in the loading of the states",
                        "the same job without the checkpoint",
                        "states that are loaded on the CPU (torch.load with map_location=\"cpu\"), "
                        "a sharded checkpoint of which each rank reads its own part "
                        "(torch.distributed.checkpoint), and torch.cuda.empty_cache() behind it",
                        "", kMoment, true});
        return;
      case JobMoment::generating:
        all_.push_back({"the inference engine needs more than its device has left",
                        "the message is the engine's own",
                        "the engine's first lines: weights, "
                        "cache, graphs",
                        "vLLM: a smaller gpu_memory_utilization, which leaves more beside the "
                        "cache, a smaller max_num_seqs or max_model_len, enforce_eager=True, more "
                        "tensor_parallel_size; SGLang: a smaller mem_fraction_static, "
                        "max_running_requests or cuda_graph_max_bs; the trainer offloaded before "
                        "the engine starts",
                        "", kMoment, true});
        return;
      case JobMoment::loading:
        all_.push_back({"loading the weights takes memory that no step needs",
                        "the traceback is in the loading of the weights",
                        "memory of each GPU while the model loads",
                        "meta devices and sharded loading (low_cpu_mem_usage, "
                        "cpu_ram_efficient_loading), one rank a GPU, map_location=\"cpu\"",
                        "", kMomentOfLoading, true});
        return;
      case JobMoment::loss:
        all_.push_back({std::string(kTensorAdvice[TensorUse::loss].what),
                        "the traceback is in the conversion of the logits or in their loss" +
                            tokens_of_logits(),
                        "tokens of the pass that failed",
                        "fewer tokens a pass (max_tokens_per_gpu, ppo_max_token_len_per_gpu, a "
                        "smaller micro batch), a fused or chunked loss (Liger's kernels, cut "
                        "cross-entropy), or tensor parallelism over the vocabulary",
                        "", kMoment, true});
        return;
    }
  }

  // A TPU lists its largest allocations.
  void largest_allocation() {
    if (m_.holders.empty() || m_.kind != MessageKind::xla_out_of_memory) return;
    const HeldMemory& h = m_.holders[0];
    if (!is_attention_scores(h.where)) return;
    all_.push_back({"attention scores are kept whole",
                    h.where + " is the largest allocation, " + gib_text(h.size) +
                        (h.blocks > 1 ? " in " + grouped(h.blocks) : ""),
                    "the square shape of the program's largest allocations",
                    "flash (splash) or blockwise attention; a smaller batch a device, or more "
                    "sharding",
                    "", kMoment});
  }

  void pools() {
    const auto& pools = m_[Stated::pools];
    const auto& capacity = m_[Stated::capacity];
    if (!pools || !capacity || *pools / *capacity < kMatters) return;
    all_.push_back({"private pools of CUDA graphs hold memory",
                    gib_text(*pools) + " are allocated in private pools",
                    "the same step without graphs (enforce_eager, cuda_graphs none)",
                    "fewer captured shapes, or no graphs", "", kPossible});
  }

  void need() {
    const auto& capacity = m_[Stated::capacity];
    const bool is_spare = capacity && (needed() + beside()) / *capacity < 1 - kMatters;
    all_.push_back({"the job needs more than the device holds", stated_need(),
                    "an estimate of the run: give --run RUN or its flags",
                    "more sharding, recompute, a smaller micro batch", "",
                    is_spare || has_free() ? kUnlikely : kOwnNeed});
  }

  std::string stated_need() const {
    if (const auto& program = m_[Stated::program]) {
      const auto& capacity = m_[Stated::capacity];
      return "the compiled program needs " + gib_text(*program) +
             (capacity ? " of " + gib_text(*capacity) : "");
    }
    const auto& allocated = m_[Stated::allocated];
    std::string text = allocated ? gib_text(*allocated) + " were allocated" : "";
    if (asked()) text += (text.empty() ? "" : ", ") + gib_text(*asked()) + " more asked for";
    if (const auto& capacity = m_[Stated::capacity])
      text += (text.empty() ? "the device has " : ", of ") + gib_text(*capacity);
    else if (const auto& free = m_[Stated::free])
      text += (text.empty() ? "" : ", ") + gib_text(*free) + " are free";
    return text.empty() ? "the text does not say how much was held" : text;
  }

  // Context and libraries beside the allocator, where the message states enough.
  Bytes beside() const {
    const auto& capacity = m_[Stated::capacity];
    const auto& free = m_[Stated::free];
    const auto& reserved = m_[Stated::reserved];
    if (!capacity || !free || !reserved) return {};
    return std::clamp(*capacity - *free - *reserved, Bytes(), Bytes(kBesideProcess));
  }

  // Bytes held and asked for when an allocation failed; else the most that was held.
  Bytes needed() const {
    if (m_[Stated::program]) return *m_[Stated::program];
    const Bytes peak = m_[Stated::peak_allocated].value_or(Bytes());
    const Bytes held = m_[Stated::allocated].value_or(peak);
    return asked() ? held + *asked() : std::max(held, peak);
  }

  double reach(const Run& run, const Answer& a) const {
    return reaches(a.memory.allocated, needed(), run.memory_risk.spread);
  }

  std::string need_beside(const Answer& a) const {
    return "predicted " + gib_text(a.memory.allocated) + " allocated (most of it " +
           largest_line(a.memory) + "), " + gib_text(needed()) + " were needed";
  }

  void needs_of_run() {
    const Run& run = r_->resolved.run;
    all_.push_back({"the run needs more than the device holds, as predicted",
                    need_beside(r_->answer), "this estimate", "the changes below", "",
                    kOwnPriorOfRun * reach(run, r_->answer)});
    tensors();
    open_recompute();
    encoders();
    larger_batches();
    for (const Hypothesis& h : hypotheses()) weigh(h);
    all_.push_back({"none of these: another run, or a fault of the estimate",
                    need_beside(r_->answer), "the run's settings as its log prints them", "", "",
                    kUnlikely});
  }

  // Recompute that nobody gave: full would leave much less.
  void open_recompute() {
    if (!r_->resolved.recompute_open) return;
    Run full = r_->resolved.run;
    if (!has_recompute(full.framework, RecomputeChoice::full)) return;
    full.strategy.recompute = Recompute::full;
    full.strategy.recompute_layers = 0;
    if (!is_legal(full)) return;
    const Bytes held = r_->answer.memory.allocated;
    const Bytes left = estimate(full).memory.allocated;
    if ((held - left) / r_->answer.capacity < kMatters) return;
    const std::vector<Setting> change = {
        {key_path<&StrategyRequest::recompute>, std::string(name_of(Recompute::full))}};
    all_.push_back({"activations are kept: nobody gave recompute (gradient checkpointing)",
                    "predicted " + gib_text(held) + " allocated as it is taken, " + gib_text(left) +
                        " with full recompute, " + gib_text(needed()) + " were needed",
                    "recompute settings that the job's first lines print",
                    "gradient_checkpointing=True of Hugging Face's trainers, activation "
                    "checkpointing of the stack",
                    typed(change), kOwnPriorOfRun, false, change});
  }

  // Micro batches whose size nobody gave: the least power of two that needs what was needed.
  void larger_batches() {
    if (!is_assumed(key_path<&TrainingRequest::micro_batch>)) return;
    Run run = r_->resolved.run;
    Bytes held = r_->answer.memory.allocated;
    for (; held < needed() * kNear; held = estimate(run).memory.allocated) {
      if (!make_neighbour(std::array{moves::double_micro_batch}, run)) return;
      if (r_->resolved.recompute_open) predict_recompute(run, workspace_);
    }
    const std::vector<Setting> change =
        differences(r_->resolved.run, run, r_->resolved.parallel_keys);
    if (change.empty()) return;
    all_.push_back({"micro batches are larger: nobody gave their size",
                    "of " + counted(run.strategy.micro_batch, "sequence") + " " + gib_text(held) +
                        " would be allocated, " + gib_text(needed()) + " were needed",
                    "batch settings that the job's first lines print",
                    "a smaller micro batch (per_device_train_batch_size) and more accumulation",
                    typed(change), kLargerBatches, false, change});
  }

  bool is_assumed(std::string_view path) const {
    const std::vector<Fact>& all = r_->resolved.assumed;
    return std::any_of(all.begin(), all.end(), [&](const Fact& f) { return f.path == path; });
  }

  // True of a change of keys that the user gave, every one.
  bool is_given(const std::vector<Setting>& change) const {
    return !change.empty() && std::none_of(change.begin(), change.end(),
                                           [&](const Setting& s) { return is_assumed(s.path); });
  }

  // Text encoders and an autoencoder beside a diffusion model, which nobody gave.
  void encoders() {
    if (!leaves_out_encoders(r_->resolved)) return;
    const Bytes missing = needed() - r_->answer.memory.allocated;
    if (missing / r_->answer.capacity < kMatters) return;
    const double parameters = missing.si() / kBytesOfFrozen;
    const std::vector<Setting> change = {
        {key_path<&TrainingRequest::frozen_parameters>,
         typed_number(Json(std::round(parameters / kOfEncoders) * kOfEncoders))}};
    all_.push_back({"text encoders and the autoencoder are on the GPU as well",
                    gib_text(missing) + " more than predicted were needed: " +
                        significant(parameters / 1e9, 2) + " B parameters in 16 bits",
                    "what the job loads before the first step",
                    "texts and images that are encoded beforehand (cache_latents, "
                    "cache_text_encoder_outputs), or encoders on the CPU or in 8 bits",
                    typed(change), kEncoders, false, change});
  }

  void tensors() {
    if (!asked()) return;
    const Run& run = r_->resolved.run;
    const std::vector<KnownTensor> found = tensors_of_size(run, *asked());
    // The tensor that fails is the last straw: it says little where all else is far from what is
    // predicted.
    const double near = reaches(r_->answer.memory.allocated + *asked(), needed(),
                                std::max(kFarSpread, run.memory_risk.spread));
    for (const KnownTensor& t : found) {
      const TensorAdvice& advice = advice_of_tensor(t, run);
      const std::vector<Setting> change =
          advice.zero == nullptr
              ? std::vector<Setting>()
              : std::vector<Setting>{{std::string(key_path<&StrategyRequest::zero>), advice.zero}};
      all_.push_back({std::string(advice.what),
                      gib_text(*asked()) + " were asked for: " + t.what + " is " + gib_text(t.size),
                      advice.check, advice.mend, typed(change),
                      (is_kept(t, run) ? kClear : kNotKept) * std::min(1.0, 2 * near) /
                          static_cast<double>(found.size()),
                      false, change});
    }
  }

  // A tensor that the run as it is described does not make on the GPU.
  static bool is_kept(const KnownTensor& t, const Run& run) {
    switch (t.use) {
      case TensorUse::attention:
        return !run.training.fused_attention;
      case TensorUse::update:
        return run.strategy.offload.optimizer == OffloadTarget::none;
      case TensorUse::loss:
      case TensorUse::activation:
      case TensorUse::gathered:
        return true;
    }
    return true;
  }

  static const TensorAdvice& advice_of_tensor(const KnownTensor& t, const Run& run) {
    const bool is_sharded = run.strategy.partition.weights > 1;
    if (t.use == TensorUse::gathered && !is_sharded) return kWholeWeights;
    const bool is_fused = run.framework.update.moment_lists == 0;
    if (t.use == TensorUse::update && is_fused)
      return run.strategy.zero == 3 ? kShardedUpdate : kFusedUpdate;
    return kTensorAdvice[t.use];
  }

  void weigh(const Hypothesis& h) {
    Run run;
    if (!make_hypothesis(h, *r_, workspace_, run)) return;
    const Answer a = estimate(run);
    // Where it needs no more than the run as it stands, it explains nothing.
    if (!(a.memory.allocated > r_->answer.memory.allocated)) return;
    const std::vector<Setting> change = change_settings(h, *r_, run);
    const double prior = prior_of(h, *r_, run) * (is_given(change) ? kGiven : 1);
    all_.push_back({h.what,
                    "then " + gib_text(a.memory.allocated) + " would be allocated, " +
                        gib_text(needed()) + " were needed",
                    h.check, "", change_words(h, *r_, run), prior * reach(run, a), false, change});
  }

  const MemoryMessage& m_;
  const RunReport* r_;
  Workspace workspace_;
  std::vector<DiagnosedCause> all_;
};

}  // namespace

std::optional<Bytes> held_by_others(const MemoryMessage& m) {
  const auto& capacity = m[Stated::capacity];
  const auto& free = m[Stated::free];
  if (!capacity || !free) return {};
  const bool is_whole = m[Stated::process].has_value();
  const auto& own = is_whole ? m[Stated::process] : m[Stated::reserved];
  if (!own) return {};
  const double beside = (*capacity - *free - *own).si() - (is_whole ? 0 : kBesideProcess);
  return beside > 0 ? std::optional(Bytes(beside)) : std::nullopt;
}

std::vector<DiagnosedCause> memory_causes_of(const MemoryMessage& m, const RunReport* run) {
  return MemoryWeighing(m, run).causes();
}

}  // namespace orrery
