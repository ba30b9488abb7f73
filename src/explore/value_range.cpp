// SPDX-License-Identifier: Apache-2.0
#include "explore/value_range.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace orrery {
namespace {

double unrounded(const ValueRange& range, std::size_t i) {
  const auto n = static_cast<double>(i);
  return range.step ? range.from + n * *range.step : range.from * std::pow(*range.factor, n);
}

// The distance by which rounding may miss `to`: small beside a step, but no less than what the
// doubles themselves lose.
double slack(const ValueRange& range) {
  constexpr double kShare = 1e-9;
  if (range.factor) return kShare * range.to;
  const double largest = std::max(std::abs(range.from), std::abs(range.to));
  return std::max(kShare * *range.step, 4 * std::numeric_limits<double>::epsilon() * largest);
}

// 0.3 and not 0.30000000000000004.
double without_rounding(double x) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.15g", x);
  return std::strtod(text.data(), nullptr);
}

}  // namespace

std::size_t count_between(const ValueRange& range, std::size_t most) {
  const double last = range.to + slack(range);
  std::size_t inside = 0;
  std::size_t beyond = most + 1;
  while (inside < beyond) {
    const std::size_t middle = (inside + beyond) / 2;
    if (unrounded(range, middle) > last) {
      beyond = middle;
    } else {
      inside = middle + 1;
    }
  }
  return inside;
}

double ValueRange::value(std::size_t i) const {
  const double x = i == 0 ? from : without_rounding(unrounded(*this, i));
  return std::abs(x - to) <= slack(*this) ? to : x;
}

}  // namespace orrery
