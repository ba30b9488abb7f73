// SPDX-License-Identifier: Apache-2.0
#include "explore/conditions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "estimate/run.h"
#include "explore/axis_keys.h"
#include "hardware/cluster_keys.h"
#include "parallel/rules.h"

namespace orrery {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum Kind : int {
  kAxis,
  kGpus,
  kGlobalBatch,
  kMicroBatches,
  kRecomputeLayers,
  kMetric,
  kLow,
  kHigh,
  kGpuHours,
  kEnergy,
  kCost,
};

struct Word {
  std::string_view name;
  Kind kind;
  MetricTrend trend;
};
constexpr std::array<Word, 9> kWords = {
    {{key_name<&ClusterRequest::gpus>, kGpus, MetricTrend::known},
     {key_name<&TrainingRequest::global_batch>, kGlobalBatch, MetricTrend::known},
     {"micro_batches", kMicroBatches, MetricTrend::known},
     {key_name<&Strategy::recompute_layers>, kRecomputeLayers, MetricTrend::known},
     {"interval_80.step_time_s[0]", kLow, MetricTrend::rises},
     {"interval_80.step_time_s[1]", kHigh, MetricTrend::rises},
     {"gpu_hours", kGpuHours, MetricTrend::rises},
     {"energy_kwh", kEnergy, MetricTrend::rises},
     {"cost", kCost, MetricTrend::rises}}};

std::vector<std::string> known_names(const MetricSource& metrics) {
  std::vector<std::string> names;
  for (const std::string_view a : kNamesOf<SearchAxis>) names.emplace_back(a);
  for (const Word& w : kWords) names.emplace_back(w.name);
  names.insert(names.end(), metrics.names.begin(), metrics.names.end());
  return names;
}

std::string without_blanks(const std::string& name) {
  for (const std::string_view room : {"parallel.", "training."}) {
    if (name.rfind(room, 0) == 0) return name.substr(room.size());
  }
  return name;
}

double gpu_hours(const Run& run, const Answer& a) {
  return static_cast<double>(run.cluster.gpus) * (a.step_time / kHour);
}

double energy_kwh(const Run& run, const Answer& a) {
  const auto systems = static_cast<double>(system_count(run.cluster));
  return systems * system_power(run.cluster) * a.step_time / kKilowattHour;
}

double cost(const Run& run, const Answer& a, const UnitPrices& p) {
  const double power = p.kwh > 0 ? energy_kwh(run, a) * p.kwh : 0;
  return gpu_hours(run, a) * p.gpu_hour + power;
}

void check_word(const Word& w, const ExpressionSource& source, const std::string& path) {
  const bool priced = source.prices.gpu_hour > 0 || source.prices.kwh > 0;
  if (w.kind == kCost && !priced) {
    throw InputError(source.file, path, "cost without a price",
                     "search.price with gpu_hour or kwh");
  }
  const bool power = w.kind == kEnergy || (w.kind == kCost && source.prices.kwh > 0);
  if (power && !source.power_known) {
    throw InputError(source.file, path, std::string(w.name) + " on nodes of unknown power",
                     "nodes that state their power");
  }
}

}  // namespace

BoundExpression::BoundExpression(const std::string& text, const ExpressionSource& source,
                                 const std::string& path)
    : expression_(parse_expression(text, source.file, path)),
      prices_(source.prices),
      metric_(source.metrics.value) {
  if (expression_.paths().size() > kMostPaths) {
    throw InputError(source.file, path, std::to_string(expression_.paths().size()) + " names",
                     "up to 32");
  }
  for (const std::string& name : expression_.paths()) operands_.push_back(bind(name, source, path));
}

BoundExpression::Operand BoundExpression::bind(const std::string& name,
                                               const ExpressionSource& source,
                                               const std::string& path) {
  const std::optional<SearchAxis> axis = find_name<SearchAxis>(without_blanks(name));
  if (axis && !is_of_words(*axis)) {
    return {kAxis, static_cast<std::size_t>(*axis), MetricTrend::known};
  }
  for (const Word& w : kWords) {
    if (without_blanks(name) != w.name) continue;
    check_word(w, source, path);
    if (w.trend != MetricTrend::known) needs_ = KnownPart::answer;
    return {w.kind, 0, w.trend};
  }
  const std::vector<std::string>& names = source.metrics.names;
  const auto metric = std::find(names.begin(), names.end(), name);
  if (metric == names.end()) {
    throw InputError(source.file, path, "\"" + name + "\"",
                     "an axis of numbers, gpus, global_batch, micro_batches, recompute_layers, "
                     "gpu_hours, energy_kwh, cost or a metric of `orrery list metrics`",
                     nearest_name(name, known_names(source.metrics)));
  }
  const auto at = static_cast<std::size_t>(metric - names.begin());
  const MetricTrend trend = source.metrics.trends[at];
  needs_ = std::max(needs_, trend == MetricTrend::known ? KnownPart::memory : KnownPart::answer);
  return {kMetric, at, trend};
}

double BoundExpression::value_of(const Operand& o, const Run& run, const Answer& a) const {
  switch (static_cast<Kind>(o.kind)) {
    case kAxis:
      return static_cast<double>(orrery::value_of(run.strategy, static_cast<SearchAxis>(o.index)));
    case kGpus:
      return static_cast<double>(run.cluster.gpus);
    case kGlobalBatch:
      return static_cast<double>(run.training.global_batch);
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
    case kGpuHours:
      return gpu_hours(run, a);
    case kEnergy:
      return energy_kwh(run, a);
    case kCost:
      return cost(run, a, prices_);
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

NumberRange BoundExpression::range(const Run& run, const Answer& least) const {
  std::array<NumberRange, kMostPaths> values;
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    const Operand& o = operands_[i];
    if (o.trend == MetricTrend::unknown) {
      values[i] = {0, kInfinity};
      continue;
    }
    const double at = value_of(o, run, least);
    values[i] = {o.trend == MetricTrend::falls ? 0 : at,
                 o.trend == MetricTrend::rises ? kInfinity : at};
  }
  return expression_.range({values.data(), operands_.size()});
}

double Aim::value(const Run& run, const Answer& answer) const {
  const double value = expression.value(run, answer);
  if (std::isnan(value)) return kInfinity;
  return maximize ? -value : value;
}

double Aim::bound(const Run& run, const Answer& least) const {
  const NumberRange range = expression.range(run, least);
  const double bound = maximize ? -range.high : range.low;
  return std::isnan(bound) ? -kInfinity : bound;
}

int Conditions::first_broken(KnownPart known, const Run& run, const Answer& answer) const {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i].needs() != known) continue;
    const double holds = constraints[i].value(run, answer);
    if (!(holds != 0) || std::isnan(holds)) return static_cast<int>(i);
  }
  return -1;
}

int Conditions::first_hopeless(const Run& run, const Answer& least) const {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i].needs() != KnownPart::answer) continue;
    if (constraints[i].range(run, least).high == 0) return static_cast<int>(i);
  }
  return -1;
}

double Conditions::objective_of(const Run& run, const Answer& answer) const {
  return objective ? objective->value(run, answer) : answer.step_time.si();
}

double Conditions::objective_bound(const Run& run, const Answer& least) const {
  return objective ? objective->bound(run, least) : least.step_time.si();
}

}  // namespace orrery
