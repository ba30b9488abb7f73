// SPDX-License-Identifier: Apache-2.0
//
// The one table of metrics: key, unit, what it means, and how it follows from an answer. Text
// labels, JSON keys, CSV headers, `list metrics` and `explain` all read it.
//
// A key is the metric's path in the JSON output; its values there are in `unit`. Times are of one
// step, memory of the stage with the highest peak, the breakdown of the busiest stage.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/traced.h"
#include "estimate/answer.h"
#include "explore/conditions.h"

namespace orrery {

struct Run;

template <Number R>
struct MetricInput {
  const Run& run;
  const AnswerOf<R>& answer;
};

enum class MetricGroup : std::uint8_t { speed, time, memory, memory_line };

struct Metric {
  std::string_view key;
  std::string_view unit;  // "" for a ratio
  std::string_view label;
  std::string_view meaning;
  MetricGroup group;
  MetricTrend trend;  // as the step grows: a search drops strategies by it before it sweeps them
  double (*value)(const MetricInput<double>&);
  Traced (*traced)(const MetricInput<Traced>&);
};

// The 80 % interval of a metric that follows from the step's, of one of MetricGroup::speed; of a
// utilisation at most 1.
std::array<double, 2> interval_80(const Metric& m, const Run& run, const Answer& answer);

std::span<const Metric> metrics();
const Metric* find_metric(std::string_view key);
std::vector<std::string> metric_keys();

// All of them, for a search's constraints and objectives.
MetricSource metric_source();

}  // namespace orrery
