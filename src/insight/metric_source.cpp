// SPDX-License-Identifier: Apache-2.0
#include "insight/metric_source.h"

#include <string_view>
#include <vector>

#include "insight/metrics.h"

namespace orrery {
namespace {

// How a metric moves as the step of a strategy with known memory grows.
MetricTrend trend_of(std::string_view key) {
  if (key.rfind("memory.", 0) == 0) return MetricTrend::known;
  if (key == "step_time_s") return MetricTrend::rises;
  for (const std::string_view rate :
       {"samples_per_s", "tokens_per_s", "tokens_per_s_per_gpu", "model_tflops_per_gpu", "mfu"}) {
    if (key == rate) return MetricTrend::falls;
  }
  return MetricTrend::unknown;
}

std::vector<MetricTrend> metric_trends() {
  std::vector<MetricTrend> trends;
  for (const Metric& m : metrics()) trends.push_back(trend_of(m.key));
  return trends;
}

}  // namespace

MetricSource metric_source() {
  return {metric_keys(), metric_trends(), [](std::size_t i, const Run& run, const Answer& answer) {
            return metrics()[i].value({run, answer});
          }};
}

}  // namespace orrery
