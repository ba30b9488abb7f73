// SPDX-License-Identifier: Apache-2.0
#include "insight/log_verdict.h"

#include <algorithm>

#include "core/units.h"
#include "document/words.h"

namespace orrery {
namespace {

// From here on data is what to mend first [judgement].
constexpr double kWaitsForData = 0.25;
constexpr std::size_t kFewSteps = 4;  // fewer show no drift

DiagnosedCause waiting(double share, const TrainingLog& log) {
  return {"the GPUs wait for data",
          percent(share, 0) + " of a step, " + pretty(*log.data_time, 3) + " of " +
              pretty(*log.step_time, 3),
          "the same job on synthetic data, or on data in memory",
          "more workers and prefetching, pinned memory, data decoded beforehand or on the GPU "
          "(DALI), nearer or faster storage, larger files",
          "",
          share,
          true};
}

DiagnosedCause slowing(double ratio) {
  return {"steps grow longer",
          "one of the second half takes " + significant(ratio, 2) + " times as long",
          "clocks (nvidia-smi -q -d PERFORMANCE), the data loader, the network's error counters, "
          "and what else began to run",
          "the part whose counters moved when the steps did",
          "",
          1,
          true};
}

DiagnosedCause short_of_memory(double retries) {
  return {"memory is full: the allocator frees its cache and waits for the GPU",
          grouped(retries) + " retries",
          "torch.cuda.memory_summary(): cudaMalloc retries",
          "a smaller micro batch, more recompute or sharding",
          "",
          1};
}

}  // namespace

std::optional<double> data_share(const TrainingLog& log) {
  if (!log.data_time || !log.step_time || !(*log.step_time > Seconds())) return {};
  return std::min<double>(1.0, *log.data_time / *log.step_time);
}

std::optional<DiagnosedCause> fault_of(const TrainingLog& log) {
  if (const auto share = data_share(log); share && *share >= kWaitsForData)
    return waiting(*share, log);
  if (log.retries.value_or(0) > 0) return short_of_memory(*log.retries);
  if (log.slowed && *log.slowed > 1) return slowing(*log.slowed);
  return {};
}

std::string steady_words(const TrainingLog& log) {
  const std::string steps = counted(static_cast<std::int64_t>(log.steps), "step");
  const std::string rest = "; whether that is fast needs the run";
  if (log.slowed) return "steps grow shorter over " + steps + rest;
  if (log.steps < kFewSteps) return steps + " show no drift yet" + rest;
  return "steady: no drift over " + steps + rest;
}

}  // namespace orrery
