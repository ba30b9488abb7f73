// SPDX-License-Identifier: Apache-2.0
//
// Centre and scatter of repeated timings by medians, so that one straggler counts as one sample.
#pragma once

#include <vector>

namespace orrery {

inline constexpr double kToDeviation = 1.4826;  // times a median deviation, for normal scatter

// 0 without samples.
double median_of(std::vector<double> x);

// One standard deviation of the samples around `median`, as a share of it.
double scatter_of(const std::vector<double>& samples, double median);

}  // namespace orrery
