// SPDX-License-Identifier: Apache-2.0
//
// Summary of many errors: median, tail, mean, bias.
//
// Quantiles interpolate between neighbours; bias is the median signed error. Units: those of the
// errors, fractions here. Errors: none; without errors all are 0.
#pragma once

#include <cstdint>
#include <vector>

namespace orrery {

struct ErrorSummary {
  std::int64_t count = 0;
  double median = 0;  // of |error|, as the next two
  double p90 = 0;
  double mean = 0;
  double bias = 0;
  double within_10 = 0;  // share of rows
};

ErrorSummary summarise(const std::vector<double>& errors);

// q from 0 to 1; 0 of nothing.
double interpolated_quantile(std::vector<double> values, double q);

}  // namespace orrery
