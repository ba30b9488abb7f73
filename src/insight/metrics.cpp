// SPDX-License-Identifier: Apache-2.0
#include "insight/metrics.h"

#include <algorithm>
#include <limits>

#include "cost/paths.h"
#include "estimate/risk.h"
#include "estimate/run.h"
#include "model/counted_flops.h"

namespace orrery {
namespace {

template <Number R>
R sequences(const MetricInput<R>& in) {
  return count<R>(in.run.training.global_batch, {"training.global_batch"});
}

// More or fewer than global_batch, where buckets have micro batches of their own.
template <Number R>
R samples(const MetricInput<R>& in) {
  const double factor = samples_factor(in.run.training.buckets);
  if (factor == 1) return sequences(in);
  return sequences(in) *
         lift<R>(factor, {"mean samples of a micro batch over training.micro_batch"});
}

template <Number R>
R tokens(const MetricInput<R>& in) {
  return sequences(in) * count<R>(in.run.training.sequence, {"training.sequence_length"});
}

template <Number R>
R gpus(const MetricInput<R>& in) {
  return count<R>(in.run.cluster.gpus, {"cluster.gpus"});
}

template <Number R>
R step(const MetricInput<R>& in) {
  return in.answer.step_time.si();
}

template <Number R>
FlopsOf<R> model_work(const MetricInput<R>& in) {
  return counted<R>(in.answer.model_flops, {"model FLOPs of one GPU and step"}, [&] {
    const Training& t = in.run.training;
    return model_flops_of<Traced>(in.run.model, in.run.convention, counted(t, t.global_batch)) /
           count<Traced>(world_size(in.run.strategy), {"cluster.gpus"});
  });
}

template <Number R>
R model_rate(const MetricInput<R>& in) {
  return model_work(in).si() / step(in);
}

template <Number R>
R hardware_rate(const MetricInput<R>& in) {
  const Flops all = in.answer.hardware_flops;
  const auto parts = [&] {
    const Flops again = all - in.answer.model_flops;
    return model_work(in) + lift<R>(again, {"FLOPs that run again"});
  };
  return counted<R>(all, {"FLOPs executed by one GPU in one step"}, parts).si() / step(in);
}

template <Number R>
R peak_rate(const MetricInput<R>& in) {
  return lift<R>(in.answer.peak_rate, {kPeakPaths[in.run.training.precision]}).si();
}

template <Number R>
R in_gib(BytesOf<R> b) {
  return b.si() / R(kGiB.si());
}

template <Number R, class... Lines>
R lines_gib(const MetricInput<R>& in, Lines... lines) {
  return in_gib((in.answer.memory[lines] + ...));
}

template <Number R>
R probability_of_fitting(const MetricInput<R>& in) {
  return lift<R>(fit_probability(in.run, in.answer),
                 {"probability that the memory needed is there"});
}

// Each takes a getter for both number types: one generic lambda.
template <class Getter>
constexpr Metric speed_metric(std::string_view key, std::string_view unit, std::string_view label,
                              MetricTrend trend, std::string_view meaning, Getter getter) {
  return {key, unit, label, meaning, MetricGroup::speed, trend, getter, getter};
}

template <class Getter>
constexpr Metric memory_metric(std::string_view key, std::string_view unit, std::string_view label,
                               MetricGroup group, std::string_view meaning, Getter getter) {
  return {key, unit, label, meaning, group, MetricTrend::known, getter, getter};
}

template <Term term>
constexpr Metric term_metric(std::string_view key, std::string_view label,
                             std::string_view meaning) {
  const auto getter = [](const auto& in) { return in.answer.breakdown[term].si(); };
  return {key, "s", label, meaning, MetricGroup::time, MetricTrend::unknown, getter, getter};
}

template <MemoryLine... lines>
constexpr Metric lines_metric(std::string_view key, std::string_view label, MetricGroup group,
                              std::string_view meaning) {
  return memory_metric(key, "GiB", label, group, meaning,
                       [](const auto& in) { return lines_gib(in, lines...); });
}

using enum MetricGroup;
using enum MetricTrend;
using L = MemoryLine;

constexpr std::array kMetrics = {
    speed_metric("step_time_s", "s", "step", rises, "one optimizer step",
                 [](const auto& in) { return step(in); }),
    speed_metric("samples_per_s", "1/s", "sequences/s", falls, "sequences trained on, of all GPUs",
                 [](const auto& in) { return samples(in) / step(in); }),
    speed_metric("tokens_per_s", "1/s", "tokens/s", falls, "tokens trained on, of all GPUs",
                 [](const auto& in) { return tokens(in) / step(in); }),
    speed_metric("tokens_per_s_per_gpu", "1/s", "tokens/s/GPU", falls, "tokens trained on, by GPU",
                 [](const auto& in) { return tokens(in) / step(in) / gpus(in); }),
    speed_metric("model_tflops_per_gpu", "TFLOP/s", "model TFLOP/s/GPU", falls,
                 "model FLOPs by the convention, without recomputation",
                 [](const auto& in) { return model_rate(in) / kTera; }),
    speed_metric("hardware_tflops_per_gpu", "TFLOP/s", "executed TFLOP/s/GPU", unknown,
                 "FLOPs by the same convention, recomputation included",
                 [](const auto& in) { return hardware_rate(in) / kTera; }),
    speed_metric("mfu", "", "MFU", falls, "model FLOPs over the dense peak of the precision",
                 [](const auto& in) { return model_rate(in) / peak_rate(in); }),
    speed_metric("hfu", "", "HFU", unknown,
                 "FLOPs with recomputation over the dense peak of the precision",
                 [](const auto& in) { return hardware_rate(in) / peak_rate(in); }),

    term_metric<Term::compute>("breakdown_s.compute", "compute", "kernels, forward and backward"),
    term_metric<Term::recompute>("breakdown_s.recompute", "recompute",
                                 "forward kernels run again to save memory"),
    term_metric<Term::tp_exposed>("breakdown_s.tp_exposed", "tensor parallel",
                                  "tensor-parallel communication not hidden"),
    term_metric<Term::cp_exposed>("breakdown_s.cp_exposed", "context parallel",
                                  "context-parallel communication not hidden"),
    term_metric<Term::ep_exposed>("breakdown_s.ep_exposed", "expert parallel",
                                  "expert-parallel communication not hidden"),
    term_metric<Term::pp_exposed>("breakdown_s.pp_exposed", "pipeline sends",
                                  "sends between stages that delay them, and the sum of a tied "
                                  "embedding over its two stages"),
    term_metric<Term::pp_bubble>("breakdown_s.pp_bubble", "pipeline bubble",
                                 "idle time: the busiest stage waits for other stages"),
    term_metric<Term::dp_exposed>("breakdown_s.dp_exposed", "data parallel",
                                  "gradient reduction and weight gathers not hidden"),
    term_metric<Term::optimizer>("breakdown_s.optimizer", "optimizer", "the update itself"),
    term_metric<Term::offload_exposed>("breakdown_s.offload_exposed", "offload",
                                       "transfers to host or NVMe not hidden"),
    term_metric<Term::host_exposed>("breakdown_s.host_exposed", "host",
                                    "time the GPU waits for kernel launches"),
    term_metric<Term::other>("breakdown_s.other", "other", "fixed costs of a step"),

    memory_metric("memory.peak_gib", "GiB", "peak", memory,
                  "what the device shows as used, on the fullest stage",
                  [](const auto& in) { return in_gib(in.answer.memory.peak); }),
    memory_metric(
        "memory.needed_gib", "GiB", "needed", memory,
        "without cached blocks, which a full device gives back; of the stage that needs most",
        [](const auto& in) { return in_gib(in.answer.needed); }),
    lines_metric<L::weights, L::secondary_weights>(
        "memory.weights_gib", "weights", memory,
        "the copy that computes, the second of hpZ, 8-bit copies"),
    lines_metric<L::gradients>("memory.gradients_gib", "gradients", memory,
                               "kept between micro batches"),
    lines_metric<L::optimizer, L::optimizer_working>("memory.optimizer_gib", "optimizer", memory,
                                                     "master weights and moments"),
    lines_metric<L::activations, L::recompute_working, L::logits, L::transient>(
        "memory.activations_gib", "activations", memory,
        "saved tensors, logits and what backward works on"),
    lines_metric<L::gathered_weights, L::buckets>("memory.buffers_gib", "buffers", memory,
                                                  "gathered weights and flat buffers"),
    lines_metric<L::context, L::communicators, L::fragmentation>(
        "memory.overhead_gib", "overhead", memory,
        "context, communicators and what the allocator loses"),
    memory_metric("memory.fit_probability", "", "probability of fitting", memory,
                  "probability that the needed memory fits, from the memory error on similar runs",
                  [](const auto& in) { return probability_of_fitting(in); }),
    memory_metric("memory.bytes_per_parameter", "B", "bytes a parameter", memory,
                  "model states on the device over parameters held",
                  [](const auto& in) { return in.answer.memory.bytes_per_parameter; }),
    memory_metric("memory.allocated_peak", "B", "allocated", memory,
                  "as a framework counts tensors",
                  [](const auto& in) { return in.answer.memory.allocated.si(); }),
    memory_metric("memory.reserved_peak", "B", "reserved", memory, "as its allocator holds blocks",
                  [](const auto& in) { return in.answer.memory.reserved.si(); }),

    lines_metric<L::weights>("memory.lines.weights_gib", "weights", memory_line,
                             "the copy that computes"),
    lines_metric<L::secondary_weights>("memory.lines.secondary_weights_gib", "2nd weights",
                                       memory_line,
                                       "of hpZ, for the gathers of backward; cast to 8 bits"),
    lines_metric<L::gradients>("memory.lines.gradients_gib", "gradients", memory_line,
                               "kept between micro batches"),
    lines_metric<L::optimizer>("memory.lines.optimizer_gib", "optimizer", memory_line,
                               "master weights and moments"),
    lines_metric<L::optimizer_working>("memory.lines.optimizer_working_gib", "optimizer update",
                                       memory_line, "copies that the update makes while it runs"),
    lines_metric<L::activations>("memory.lines.activations_gib", "activations", memory_line,
                                 "saved tensors of the micro batches in flight"),
    lines_metric<L::recompute_working>("memory.lines.recompute_working_gib", "recompute work",
                                       memory_line, "what one recomputed piece brings back"),
    lines_metric<L::logits>("memory.lines.logits_gib", "logits", memory_line,
                            "logits, softmax and their gradient"),
    lines_metric<L::transient>("memory.lines.transient_gib", "transient", memory_line,
                               "gradients of activations"),
    lines_metric<L::gathered_weights>("memory.lines.gathered_weights_gib", "gathered weights",
                                      memory_line, "brought together where weights are sharded"),
    lines_metric<L::buckets>("memory.lines.buckets_gib", "buckets", memory_line,
                             "flat communication buffers"),
    lines_metric<L::context>("memory.lines.context_gib", "context", memory_line,
                             "used before anything is allocated"),
    lines_metric<L::communicators>(
        "memory.lines.communicators_gib", "communicators", memory_line,
        "buffers of the communication library: of each group and channel, "
        "and faster links have more channels"),
    lines_metric<L::fragmentation>("memory.lines.fragmentation_gib", "fragmentation", memory_line,
                                   "allocated and not used, cached blocks"),
};

template <class E>
constexpr bool has_all(std::string_view before, std::string_view after) {
  return std::all_of(kAllOf<E>.begin(), kAllOf<E>.end(), [&](E e) {
    return std::any_of(kMetrics.begin(), kMetrics.end(), [&](const Metric& m) {
      const std::size_t size = before.size() + name_of(e).size() + after.size();
      return m.key.size() == size && m.key.starts_with(before) && m.key.ends_with(after) &&
             m.key.substr(before.size(), name_of(e).size()) == name_of(e);
    });
  });
}
static_assert(has_all<Term>("breakdown_s.", ""), "a Term has no row");
static_assert(has_all<MemoryLine>("memory.lines.", "_gib"), "a MemoryLine has no row");

}  // namespace

// A share of the peak ends at 1: no GPU computes faster, however short the step may be. A
// convention may count pairs that no kernel computes; then the share is beyond 1, and so is its
// range.
std::array<double, 2> interval_80(const Metric& m, const Run& run, const Answer& answer) {
  Answer fast = answer;
  Answer slow = answer;
  fast.step_time = answer.interval_low;
  slow.step_time = answer.interval_high;
  const bool below = m.unit.empty() && m.value({run, answer}) <= 1;
  const double most = below ? 1 : std::numeric_limits<double>::infinity();
  const double a = std::min(m.value({run, fast}), most);
  const double b = std::min(m.value({run, slow}), most);
  return {std::min(a, b), std::max(a, b)};
}

std::span<const Metric> metrics() { return kMetrics; }

const Metric* find_metric(std::string_view key) {
  for (const Metric& m : kMetrics) {
    if (m.key == key) return &m;
  }
  return nullptr;
}

std::vector<std::string> metric_keys() {
  std::vector<std::string> keys;
  for (const Metric& m : kMetrics) keys.emplace_back(m.key);
  return keys;
}

MetricSource metric_source() {
  std::vector<MetricTrend> trends;
  for (const Metric& m : kMetrics) trends.push_back(m.trend);
  return {metric_keys(), trends, [](std::size_t i, const Run& run, const Answer& answer) {
            return kMetrics[i].value({run, answer});
          }};
}

}  // namespace orrery
