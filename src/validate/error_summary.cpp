// SPDX-License-Identifier: Apache-2.0
#include "validate/error_summary.h"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double kClose = 0.1;

}  // namespace

double interpolated_quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

ErrorSummary summarise(const std::vector<double>& errors) {
  ErrorSummary s;
  s.count = static_cast<std::int64_t>(errors.size());
  if (errors.empty()) return s;
  std::vector<double> sizes;
  for (const double e : errors) sizes.push_back(std::abs(e));
  s.median = interpolated_quantile(sizes, 0.5);
  s.p90 = interpolated_quantile(sizes, 0.9);
  s.bias = interpolated_quantile(errors, 0.5);
  const double n = static_cast<double>(s.count);
  for (const double e : sizes) {
    s.mean += e / n;
    if (e <= kClose) s.within_10 += 1 / n;
  }
  return s;
}

}  // namespace orrery
