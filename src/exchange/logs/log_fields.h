// SPDX-License-Identifier: Apache-2.0
//
// Marks by which tools print their steps: in lines of text, and in columns of histories. Only the
// reader of training logs (training_log.cpp) uses it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::training_logs {

inline constexpr double kMiB = 0x1p20;
inline constexpr double kGiBytes = 0x1p30;
inline constexpr double kA100Percent = 3.12e12;  // FLOP/s, a hundredth of its dense bf16 peak

// `steps`: a second, of which a step is the inverse. `hardware_flops`: with what is recomputed.
enum class Logged : std::uint8_t {
  step,
  steps,
  samples,
  tokens,
  flops,
  hardware_flops,
  allocated,
  reserved,
  retries,  // of the allocator, which gave its cache back first
  mfu,
  data,  // seconds of a step in which the loader is waited for
};
inline constexpr std::size_t kQuantities = 11;

// True of numbers that say how long a step takes.
constexpr bool is_speed(Logged q) {
  return q == Logged::step || q == Logged::steps || q == Logged::samples || q == Logged::tokens;
}

// How a number stands by its marker: behind it; the same, with a magnitude ("3.23K" is 3230); or
// before it; or in the first bracket behind it, where tools write a mean of all steps so far.
enum class Written : std::uint8_t { behind, magnitude, before, bracket };

struct Field {
  std::string_view form;
  std::string_view marker;
  Logged quantity;
  double scale;                  // to SI
  std::string_view beside = "";  // what the line holds besides
  Written written = Written::behind;
};

inline constexpr std::array kFields = std::to_array<Field>({
    {"Megatron-LM", "elapsed time per iteration (ms):", Logged::step, 1e-3},
    {"Megatron-LM", "elapsed time per iteration (s):", Logged::step, 1},  // Megatron-DeepSpeed
    {"Megatron-LM", "throughput per GPU (TFLOP/s/GPU):", Logged::flops, 1e12},
    // Megatron-DeepSpeed and DeepSpeed-Chat count a third of the forward and backward pass more
    // where activations are recomputed [from memory].
    {"Megatron-LM", "TFLOPs:", Logged::hardware_flops, 1e12},
    {"Megatron-LM", "max allocated:", Logged::allocated, kMiB, "memory (MB)"},
    {"Megatron-LM", "max reserved:", Logged::reserved, kMiB, "memory (MB)"},
    {"Megatron-LM", "max allocated:", Logged::allocated, kGiBytes, "memory (GB)"},
    {"Megatron-LM", "max reserved:", Logged::reserved, kGiBytes, "memory (GB)"},
    {"DeepSpeed", "CurrSamplesPerSec=", Logged::samples, 1},
    {"DeepSpeed", "SamplesPerSec=", Logged::samples, 1},
    {"DeepSpeed", "iter time (s):", Logged::step, 1},
    {"DeepSpeed", "Latency:", Logged::step, 1, "Samples/sec:"},  // DeepSpeed-Chat
    {"DeepSpeed", "TFLOPs:", Logged::hardware_flops, 1e12, "Samples/sec:"},
    {"DeepSpeed", "MaxMemAllocated=", Logged::allocated, kGiBytes},
    {"torchtitan", "tps:", Logged::tokens, 1},
    {"torchtitan", "wps:", Logged::tokens, 1},  // as the older ones call it
    {"torchtitan", "tflops:", Logged::flops, 1e12},
    {"torchtitan", "memory:", Logged::reserved, kGiBytes},
    {"torchtitan", "mfu:", Logged::mfu, 1e-2},
    {"torchtune", "tokens_per_second_per_gpu:", Logged::tokens, 1},
    {"torchtune", "peak_memory_alloc:", Logged::allocated, kGiBytes},
    {"torchtune", "peak_memory_reserved:", Logged::reserved, kGiBytes},
    {"NeMo", "train_step_timing in s:", Logged::step, 1},
    {"NeMo", "train_step_timing in s=", Logged::step, 1},
    {"NeMo", "train_step_timing=", Logged::step, 1},
    {"Megatron-Bridge", "Step Time :", Logged::step, 1},
    {"Megatron-Bridge", "GPU utilization:", Logged::flops, 1e12},
    {"MLPerf", "\"train_step_time\":", Logged::step, 1, ":::MLLOG"},
    {"MLPerf", "\"throughput\":", Logged::samples, 1, ":::MLLOG"},
    {"Hugging Face's Trainer", "'train_samples_per_second':", Logged::samples, 1},
    {"Hugging Face's Trainer", "\"train_samples_per_second\":", Logged::samples, 1},
    {"Hugging Face's Trainer", "train_samples_per_second =", Logged::samples, 1},
    {"Hugging Face's Trainer", "'train_steps_per_second':", Logged::steps, 1},
    {"Hugging Face's Trainer", "\"train_steps_per_second\":", Logged::steps, 1},
    {"Hugging Face's Trainer", "train_steps_per_second =", Logged::steps, 1},
    // Axolotl's callbacks [from memory, and the next ones too]
    {"Hugging Face's Trainer", "'tokens_per_second_per_gpu':", Logged::tokens, 1},
    {"Hugging Face's Trainer", "'tokens/train_per_sec_per_gpu':", Logged::tokens, 1},
    {"Hugging Face's Trainer", "'memory/max_allocated (GiB)':", Logged::allocated, kGiBytes},
    {"Hugging Face's Trainer", "'memory/max_mem_allocated(gib)':", Logged::allocated, kGiBytes},
    {"Hugging Face's Trainer", "'memory/device_reserved (GiB)':", Logged::reserved, kGiBytes},
    {"Hugging Face's Trainer", "'memory/device_mem_reserved(gib)':", Logged::reserved, kGiBytes},
    // Unsloth's notebooks print the allocator's reserved peak in units of 2³⁰ bytes.
    {"Hugging Face's Trainer", "Peak reserved memory =", Logged::reserved, kGiBytes},
    // modelscope/ms-swift issue 4146; its memory is the allocator's reserved peak (pull request
    // 5194)
    {"ms-swift", "'train_speed(iter/s)':", Logged::steps, 1},
    {"ms-swift", "\"train_speed(iter/s)\":", Logged::steps, 1},
    {"ms-swift", "'train_speed(s/it)':", Logged::step, 1},
    {"ms-swift", "\"train_speed(s/it)\":", Logged::step, 1},
    {"ms-swift", "'memory(GiB)':", Logged::reserved, kGiBytes},
    {"ms-swift", "\"memory(GiB)\":", Logged::reserved, kGiBytes},
    // The training part of a step of RL (verl-project/verl issue 2060); GB are of 2³⁰ bytes.
    {"verl's update of the actor", "timing_s/update_actor:", Logged::step, 1},
    {"verl's update of the actor", "perf/max_memory_allocated_gb:", Logged::allocated, kGiBytes},
    {"verl's update of the actor", "perf/max_memory_reserved_gb:", Logged::reserved, kGiBytes},
    {"nanotron", "time_per_iteration_ms:", Logged::step, 1e-3, "", Written::magnitude},
    {"nanotron", "tokens_per_sec_per_gpu:", Logged::tokens, 1, "", Written::magnitude},
    {"nanotron", "model_tflops_per_gpu:", Logged::flops, 1e12, "", Written::magnitude},
    {"MaxText", " seconds:", Logged::step, 1, "completed step:"},
    {"MaxText", "TFLOP/s/device:", Logged::flops, 1e12},
    {"LLM Foundry", "throughput/batches_per_sec:", Logged::steps, 1},
    {"LLM Foundry", "throughput/device/tokens_per_sec:", Logged::tokens, 1},
    {"LLM Foundry", "throughput/device/mfu:", Logged::mfu, 1},
    {"LLM Foundry", "memory/reserved_mem:", Logged::reserved, 1e9},
    {"LLM Foundry", "memory/alloc_retries:", Logged::retries, 1},
    {"NeMo Automodel", "/gpu)", Logged::tokens, 1, "tps ", Written::before},
    {"NeMo Automodel", "\"tps_per_gpu\":", Logged::tokens, 1},
    {"NeMo Automodel", " mem ", Logged::allocated, kGiBytes, "tps "},
    // [from memory, both]
    {"OLMo", "throughput/device/tokens_per_second=", Logged::tokens, 1},
    {"OLMo", "throughput/device/TPS=", Logged::tokens, 1},  // OLMo-core
    {"OLMo", "System/Peak GPU Memory (MB)=", Logged::allocated, 1e6},
    {"fms-fsdp", "current step time:", Logged::step, 1},
    {"fms-fsdp", "current token per gpu per sec:", Logged::tokens, 1},
    {"fms-fsdp", "reserved memory:", Logged::reserved, 1},
    {"fms-fsdp", "allocated memory:", Logged::allocated, 1},
    // karpathy/nanoGPT, train.py and model.py (estimate_mfu): on any GPU the share of an A100's 312
    // TFLOP/s; older lines have none.
    {"nanoGPT", " time ", Logged::step, 1e-3, ", mfu"},
    {"nanoGPT", ", mfu ", Logged::flops, kA100Percent},
    {"nanoGPT", ", time ", Logged::step, 1e-3, "ms"},
    {"nanochat", " dt:", Logged::step, 1e-3, "tok/sec:"},  // karpathy/nanochat pull request 147
    // rwth-i6/returnn issue 1626
    {"RETURNN", " sec/step", Logged::step, 1, " train, step ", Written::before},
    {"llm.c", " ms |", Logged::step, 1e-3, " tok/s", Written::before},
    // pytorch/examples, imagenet/main.py: this step's seconds and, in brackets, the mean of all.
    {"PyTorch's ImageNet example", "\tTime", Logged::step, 1, "\tData", Written::bracket},
    {"PyTorch's ImageNet example", "\tData", Logged::data, 1, "\tTime", Written::bracket},
    // huggingface/pytorch-image-models, train.py
    {"timm", "  Time: ", Logged::step, 1, "  Data: ", Written::bracket},
    {"timm", "  Data: ", Logged::data, 1, "  Time: ", Written::bracket},
    // mlfoundations/open_clip, train.py: means since the last line
    {"open_clip", "Batch (t):", Logged::step, 1},
    {"open_clip", "Data (t):", Logged::data, 1},
    // torchvision's references (MetricLogger.log_every), MMEngine's published logs, and Detectron2
    // (CommonMetricPrinter)
    {"torchvision's references", "  time: ", Logged::step, 1, "  data: "},
    {"torchvision's references", "  data: ", Logged::data, 1, "  time: "},
    {"torchvision's references", "max mem: ", Logged::allocated, kMiB, "  data: "},
    {"MMEngine", " time: ", Logged::step, 1, " data_time: "},
    {"MMEngine", " data_time: ", Logged::data, 1, " time: "},
    {"MMEngine", " memory: ", Logged::allocated, kMiB, " data_time: "},
    {"Keras", "ms/step", Logged::step, 1e-3, "", Written::before},
    {"Keras", "s/step", Logged::step, 1, "", Written::before},
    {"TensorFlow's Estimator", "global_step/sec:", Logged::steps, 1},
});

struct HistoryColumn {
  std::string_view name;
  Logged quantity;
  double scale;
};
// Columns of histories that W&B exports, by the names that tools log. Megatron-LM's
// "mem-allocated-bytes" is what stays after a step and no peak; its reserved bytes stay with the
// allocator.
inline constexpr std::array kHistoryColumns = {
    HistoryColumn{"iteration-time", Logged::step, 1},
    HistoryColumn{"train_step_timing in s", Logged::step, 1},
    HistoryColumn{"train_step_timing", Logged::step, 1},
    HistoryColumn{"step_time", Logged::step, 1},
    HistoryColumn{"time_metrics/end_to_end(s)", Logged::step, 1},
    HistoryColumn{"perf/step_time", Logged::step, 1},
    HistoryColumn{"time_metrics/step(s)", Logged::step, 1},
    HistoryColumn{"throughput", Logged::flops, 1e12},  // Megatron-LM's, TFLOP/s of a GPU
    HistoryColumn{"tflops", Logged::flops, 1e12},
    HistoryColumn{"mem-max-allocated-bytes", Logged::allocated, 1},
    HistoryColumn{"mem-reserved-bytes", Logged::reserved, 1},
    HistoryColumn{"throughput(tps)", Logged::tokens, 1},
    HistoryColumn{"tokens_per_second_per_gpu", Logged::tokens, 1},
    HistoryColumn{"train/train_samples_per_second", Logged::samples, 1},
    HistoryColumn{"train_samples_per_second", Logged::samples, 1},
    HistoryColumn{"memory/max_reserved(GiB)", Logged::reserved, kGiBytes},
    HistoryColumn{"memory/max_active(GiB)", Logged::allocated, kGiBytes},
    HistoryColumn{"peak_memory_alloc", Logged::allocated, kGiBytes},
    HistoryColumn{"peak_memory_reserved", Logged::reserved, kGiBytes},
};

// The number that a text begins with.
std::optional<double> leading_number(std::string_view text);

// The same with a magnitude: "2.51K" is 2510.
std::optional<double> number_with_magnitude(std::string_view text);

// The value of a field in a line; nothing where the marker is the end of another word ("https:"),
// nor in a line of torchtitan's validation, which has the words of a step.
std::optional<double> value_in(std::string_view line, const Field& f);

}  // namespace orrery::training_logs
