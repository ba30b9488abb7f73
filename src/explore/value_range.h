// SPDX-License-Identifier: Apache-2.0
//
// Numbers between two bounds by steps or factors, as axes of a search and of a sweep have them.
// Rounding neither leaves out the last one nor shows: 0.3 and not 0.30000000000000004. Errors:
// none.
#pragma once

#include <cstddef>
#include <optional>

namespace orrery {

// from, from + step, from + 2·step, … or from, from·factor, … up to `to`.
// Exactly one of step and factor is set; with a factor, from is above 0.
struct ValueRange {
  double from = 0;
  double to = 0;
  std::optional<double> step;
  std::optional<double> factor;
  std::size_t count = 0;  // as count_between() has it

  double value(std::size_t i) const;  // i < count
};

// The number of its values, at most `most` + 1.
std::size_t count_between(const ValueRange& range, std::size_t most);

}  // namespace orrery
