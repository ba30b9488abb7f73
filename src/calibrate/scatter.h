// SPDX-License-Identifier: Apache-2.0
//
// The middle and the scatter of repeated timings, by medians, so that a straggler counts as one.
#pragma once

#include <vector>

namespace orrery {

inline constexpr double kToDeviation = 1.4826;  // of a median deviation, for a normal scatter

// 0 of none.
double median_of(std::vector<double> x);

// One standard deviation, as a share of `median`, of samples that scatter around it.
double scatter_of(const std::vector<double>& samples, double median);

}  // namespace orrery
