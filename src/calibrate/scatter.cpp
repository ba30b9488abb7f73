// SPDX-License-Identifier: Apache-2.0
#include "calibrate/scatter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery {

double median_of(std::vector<double> x) {
  if (x.empty()) return 0;
  std::sort(x.begin(), x.end());
  const std::size_t half = x.size() / 2;
  return x.size() % 2 == 1 ? x[half] : 0.5 * (x[half - 1] + x[half]);
}

double scatter_of(const std::vector<double>& samples, double median) {
  std::vector<double> deviations;
  for (const double s : samples) deviations.push_back(std::abs(s - median));
  return kToDeviation * median_of(std::move(deviations)) / median;
}

}  // namespace orrery
