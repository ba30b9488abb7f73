// SPDX-License-Identifier: Apache-2.0
#include "calibrate/check.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "calibrate/fit_measurements.h"
#include "calibrate/predict.h"

namespace orrery {
namespace {

constexpr double kLeastBound = 0.03;
constexpr double kFactor = 2;

double middle(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  const std::size_t half = x.size() / 2;
  return x.size() % 2 == 1 ? x[half] : std::sqrt(x[half - 1] * x[half]);
}

CheckedKind judge(const std::string& name, const std::vector<double>& ratios,
                  const Calibration& c) {
  CheckedKind k{name, ratios.size(), middle(ratios) - 1, errors_of(ratios).median, 0, true};
  const auto fit = c.fit.find(name);
  if (fit == c.fit.end()) return k;
  k.bound = std::max(kLeastBound, kFactor * fit->second.held_out);
  k.holds = std::abs(std::log1p(k.bias)) <= k.bound;
  return k;
}

}  // namespace

std::vector<CheckedKind> check_calibration(const Calibration& c, const Cluster& calibrated,
                                           const std::vector<Measurement>& points) {
  std::map<std::string, std::vector<double>> kinds;
  for (const Measurement& m : points) {
    kinds[std::string(kind_of(m))].push_back(predicted_time(m, calibrated) / m.timed.time);
  }
  std::vector<CheckedKind> out;
  for (const auto& [name, ratios] : kinds) out.push_back(judge(name, ratios, c));
  return out;
}

bool holds(const std::vector<CheckedKind>& kinds) {
  return std::all_of(kinds.begin(), kinds.end(), [](const CheckedKind& k) { return k.holds; });
}

}  // namespace orrery
