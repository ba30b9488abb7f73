// SPDX-License-Identifier: Apache-2.0
#include "explore/conditions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "explore/axes.h"

namespace orrery {
namespace {

enum Kind : int { kAxis, kGpus, kMicroBatches, kRecomputeLayers, kMetric, kLow, kHigh };

struct Word {
  const char* name;
  Kind kind;
};
constexpr std::array<Word, 5> kWords = {{{"gpus", kGpus},
                                         {"micro_batches", kMicroBatches},
                                         {"recompute_layers", kRecomputeLayers},
                                         {"interval_80.step_time_s[0]", kLow},
                                         {"interval_80.step_time_s[1]", kHigh}}};

std::vector<std::string> known_names(const MetricSource& metrics) {
  std::vector<std::string> names;
  for (const std::string_view a : kSearchAxisNames) names.emplace_back(a);
  for (const Word& w : kWords) names.emplace_back(w.name);
  names.insert(names.end(), metrics.names.begin(), metrics.names.end());
  return names;
}

std::string without_room(const std::string& name) {
  for (const std::string_view room : {"parallel.", "training."}) {
    if (name.rfind(room, 0) == 0) return name.substr(room.size());
  }
  return name;
}

bool is_word_axis(std::size_t a) {
  const auto axis = static_cast<SearchAxis>(a);
  return axis == SearchAxis::schedule || axis == SearchAxis::recompute;
}

}  // namespace

BoundExpression::BoundExpression(const std::string& text, const MetricSource& metrics,
                                 const std::string& file, const std::string& path)
    : expression_(parse_expression(text, file, path)), metric_(metrics.value) {
  if (expression_.paths().size() > kMostPaths) {
    throw InputError(file, path, std::to_string(expression_.paths().size()) + " names", "up to 32");
  }
  for (const std::string& name : expression_.paths()) {
    operands_.push_back(bind(name, metrics, file, path));
  }
}

BoundExpression::Operand BoundExpression::bind(const std::string& name, const MetricSource& metrics,
                                               const std::string& file, const std::string& path) {
  const auto axis = std::find(kSearchAxisNames.begin(), kSearchAxisNames.end(), without_room(name));
  const auto index = static_cast<std::size_t>(axis - kSearchAxisNames.begin());
  if (axis != kSearchAxisNames.end() && !is_word_axis(index)) return {kAxis, index};
  for (const Word& w : kWords) {
    if (name != w.name) continue;
    if (w.kind == kLow || w.kind == kHigh) needs_ = Known::answer;
    return {w.kind, 0};
  }
  const auto metric = std::find(metrics.names.begin(), metrics.names.end(), name);
  if (metric == metrics.names.end()) {
    throw InputError(file, path, "\"" + name + "\"",
                     "an axis of numbers, gpus, micro_batches, recompute_layers or a metric of "
                     "`orrery list metrics`",
                     nearest_name(name, known_names(metrics)));
  }
  const bool memory = name.rfind("memory.", 0) == 0;
  needs_ = std::max(needs_, memory ? Known::memory : Known::answer);
  return {kMetric, static_cast<std::size_t>(metric - metrics.names.begin())};
}

double BoundExpression::value_of(const Operand& o, const Run& run, const Answer& a) const {
  switch (static_cast<Kind>(o.kind)) {
    case kAxis:
      return static_cast<double>(orrery::value_of(run.strategy, static_cast<SearchAxis>(o.index)));
    case kGpus:
      return static_cast<double>(run.cluster.gpus);
    case kMicroBatches:
      return static_cast<double>(run.strategy.micro_batches);
    case kRecomputeLayers:
      return static_cast<double>(run.strategy.recompute_layers);
    case kMetric:
      return metric_(o.index, run, a);
    case kLow:
      return a.interval_low.si();
    case kHigh:
      return a.interval_high.si();
  }
  return 0;
}

double BoundExpression::value(const Run& run, const Answer& answer) const {
  std::array<double, kMostPaths> values;
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    values[i] = value_of(operands_[i], run, answer);
  }
  return expression_.value({values.data(), operands_.size()});
}

int Conditions::first_broken(Known known, const Run& run, const Answer& answer) const {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i].needs() != known) continue;
    const double holds = constraints[i].value(run, answer);
    if (!(holds != 0) || std::isnan(holds)) return static_cast<int>(i);
  }
  return -1;
}

double Conditions::objective_of(const Run& run, const Answer& answer) const {
  if (!objective) return answer.step_time.si();
  const double value = objective->value(run, answer);
  // What has no value is the worst of all.
  if (std::isnan(value)) return std::numeric_limits<double>::infinity();
  return maximize ? -value : value;
}

}  // namespace orrery
