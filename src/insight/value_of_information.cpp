// SPDX-License-Identifier: Apache-2.0
#include "insight/value_of_information.h"

#include <algorithm>
#include <cmath>

#include "capacity/what_if.h"
#include "core/divide.h"
#include "estimate/accuracy.h"
#include "estimate/run.h"

namespace orrery {
namespace {

constexpr Seconds kWeek = kDay * 7.0;

double normal(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// The error of the step, which days and cost follow.
double step_sigma(const OptionAnswer& o) {
  const Ranged<Seconds>& t = o.training.time;
  return t.is_exact() ? 0 : std::log(t.high / t.low) / (2 * kNormal80);
}

UncertainCost cost_of(const OptionAnswer& o) { return {o.outcome.cost->amount(), step_sigma(o)}; }

// The same stack on the same device errs in the same way.
bool err_alike(const OptionAnswer& a, const OptionAnswer& b) {
  return a.inputs.cluster.device.name.view() == b.inputs.cluster.device.name.view() &&
         a.run->run.framework.name.view() == b.run->run.framework.name.view();
}

// Whole nodes.
std::int64_t job_to_measure(const OptionAnswer& o) {
  const std::int64_t node = devices_of_node(o.inputs.cluster);
  return divided_up(o.rl ? o.gpus : least_job(o.run->run), node) * node;
}

StepMeasurement measurement(const CapacityReport& r, std::size_t measured, const UncertainCost& x,
                            const UncertainCost& y) {
  const OptionAnswer& o = r.answer.options[measured];
  StepMeasurement m;
  m.option = measured;
  m.worth = {expected_excess(x, y, step_sigma(o)), r.plan.currency};
  m.gpus = job_to_measure(o);
  if (const auto& rent = o.inputs.prices.rent) {
    m.of_week = rent->value * kWeek * static_cast<double>(m.gpus);
  }
  return m;
}

}  // namespace

double UncertainCost::mean() const { return median * std::exp(sigma * sigma / 2); }

double expected_excess(const UncertainCost& x, const UncertainCost& y, double s) {
  const double a = x.mean();
  const double b = y.mean();
  if (s <= 0) return std::max(0.0, a - b);
  const double d = std::log(a / b) / s + s / 2;
  return a * normal(d) - b * normal(d - s);
}

std::optional<std::size_t> second_option(const CapacityReport& r, std::size_t best) {
  const std::vector<std::size_t>& all = r.answer.ranked;
  const OptionAnswer& first = r.answer.options[best];
  const auto differs = [&](std::size_t i) {
    const OptionAnswer& o = r.answer.options[i];
    return o.scenario != first.scenario || o.model != first.model;
  };
  const auto other = std::find_if(all.begin(), all.end(), differs);
  if (other != all.end()) return *other;
  const auto next = std::find_if(all.begin(), all.end(), [&](std::size_t i) { return i != best; });
  return next == all.end() ? std::nullopt : std::optional(*next);
}

std::optional<InformationValue> value_of_information(const CapacityReport& r, std::size_t best) {
  const std::optional<std::size_t> second = second_option(r, best);
  if (!second) return {};
  const OptionAnswer& choice = r.answer.options[best];
  const OptionAnswer& other = r.answer.options[*second];
  const bool comparable = choice.model == other.model && choice.outcome.cost && other.outcome.cost;
  if (!comparable || err_alike(choice, other)) return {};
  const UncertainCost x = cost_of(choice);
  const UncertainCost y = cost_of(other);
  const double both = std::hypot(x.sigma, y.sigma);
  InformationValue v{best, *second, {expected_excess(x, y, both), r.plan.currency}, {}};
  for (const std::size_t i : {best, *second}) v.measurements.push_back(measurement(r, i, x, y));
  std::stable_sort(
      v.measurements.begin(), v.measurements.end(),
      [](const StepMeasurement& a, const StepMeasurement& b) { return b.worth < a.worth; });
  return v;
}

}  // namespace orrery
