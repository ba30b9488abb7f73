// SPDX-License-Identifier: Apache-2.0
//
// The step of a training log: medians over its lines, without the first few.
//
// The tool is recognised by its lines (terminal colours are skipped):
// - Megatron-LM: "elapsed time per iteration (ms):" (Megatron-DeepSpeed: also "(s):"), "throughput
//   per GPU (TFLOP/s/GPU):" or "TFLOPs:", "max allocated:" and "max reserved:" (MB of 2²⁰), timers
//   "name ....: (min, max)" in ms, of which the largest over ranks counts;
// - DeepSpeed: "CurrSamplesPerSec=" or "iter time (s):", "MaxMemAllocated=" (GB of 2³⁰);
// - NeMo: "train_step_timing in s:"; Megatron-Bridge: "Step Time :"; MLPerf: tracked_stats'
//   train_step_time or throughput;
// - torchtune: "tokens_per_second_per_gpu:", "peak_memory_…:" (GiB); Hugging Face's Trainer:
//   'train_runtime' over the steps of its session, else 'train_steps_per_second' from 0.1, else
//   'train_samples_per_second' (session_time.h);
// - nanotron, MaxText, LLM Foundry, NeMo Automodel, nanoGPT, llm.c, OLMo, fms-fsdp: the names in
//   exchange/logs/log_fields.h; LLaMA-Factory's trainer_log.jsonl: by its clock;
// - tqdm's progress bar of the steps, where no line says more: its smoothed seconds of a step once
//   they have forgotten the first one, before that its clock;
// - a CSV history of W&B, by the tools' names of its columns (of one run), or its lines of JSON;
// - an event file of TensorBoard, by the same names of its scalars; both without one by the clock
//   of their events. Steps of tags that count samples ("… vs samples") are samples;
// - torchtitan: "tps:", before it "wps:" (tokens/s of one GPU), "tflops:", "memory: x GiB"
//   (reserved);
// - PyTorch's ImageNet example, timm, open_clip, torchvision's references, MMEngine: a step's time
//   and how long it waits for data; Keras ("250ms/step"), TensorFlow's Estimator.
// Settings that it says, such as its batch, are those of log_settings.h. Lines of validation are no
// steps. Errors: InputError if no line holds a step.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/messages/nccl_setup.h"
#include "orrery/quantity.h"

namespace orrery {

// Samples times their length, which some tools say in place of both.
inline constexpr std::string_view kTokensOfStep = "tokens of a step";

struct LoggedSetting {
  std::string_view key;  // of a run file: "parallel.tp"; or kTokensOfStep
  std::int64_t value = 0;
  std::int64_t within = 0;  // how far rounding may have moved it

  bool operator==(const LoggedSetting&) const = default;
};

struct TrainingLog {
  std::string form;  // "Megatron-LM", "DeepSpeed", "torchtitan"
  std::size_t steps = 0;
  std::size_t set_aside = 0;    // of them, the first; the median of the others counts
  std::size_t other_batch = 0;  // beside them, of another batch than the last (a ramp): left out
  std::optional<Seconds> step_time;
  std::optional<double> samples_per_s;         // of all GPUs
  std::optional<double> tokens_per_s_per_gpu;  // torchtitan
  std::optional<FlopsPerSecond> flops_per_gpu;
  std::optional<FlopsPerSecond> hardware_flops_per_gpu;  // with what is recomputed
  std::optional<Bytes> allocated;                        // most, of one GPU
  std::optional<Bytes> reserved;
  std::optional<double> mfu;         // as the tool counts it
  std::optional<Seconds> data_time;  // of a step, in which the loader is waited for
  std::optional<double> retries;     // most that the allocator counts: it gave its cache back first
  std::optional<double> slowed;  // a step of the second half over one of the first, where it moved
  std::map<std::string, Seconds> timers;
  std::vector<LoggedSetting> settings;  // each key once, as the last line has it
  std::optional<NcclSetup> nccl;        // where NCCL prints what it chose
};

TrainingLog read_training_log(std::string_view text, const std::string& file);

}  // namespace orrery
