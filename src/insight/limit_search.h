// SPDX-License-Identifier: Apache-2.0
//
// The largest or the smallest integer for which something holds, where it holds up to a point.
//
// From `start` the step doubles until the answer changes, then the interval halves: 2·log₂ tries.
// A few values on both sides of the answer are probed. From one that holds again beyond it the
// search starts anew, and one that fails before it shows that the question is not monotonic.
// Errors: those of the question.
#pragma once

#include <cstdint>
#include <functional>

namespace orrery {

using Holds = std::function<bool(std::int64_t value)>;

struct IntegerLimit {
  std::int64_t value = 0;         // 0: it holds nowhere
  std::int64_t holds_again = 0;   // beyond the value, after too many gaps; 0: nowhere
  std::int64_t fails_before = 0;  // below the value, likewise
  bool is_capped = false;         // it holds up to `most`: no limit
};

// The largest value from 1 to `most`.
IntegerLimit largest_that(std::int64_t start, std::int64_t most, const Holds& holds);

// The smallest value from 1 to `most`.
IntegerLimit smallest_that(std::int64_t start, std::int64_t most, const Holds& holds);

}  // namespace orrery
