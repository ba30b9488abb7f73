// SPDX-License-Identifier: Apache-2.0
//
// The notation of an axis's values, in `search.axes` and in a sweep file.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/json.h"
#include "core/json_reader.h"

namespace orrery {

inline constexpr double kLargestValue = 1e15;  // of a number in a list or a range

// 8 and not 8.0, where it is a count.
inline Json number_json(double x) {
  if (x == std::floor(x) && std::abs(x) <= kLargestValue) return static_cast<std::int64_t>(x);
  return x;
}

inline bool is_free(const Reader& r) { return r.json().is_string() && r.json() == "free"; }

}  // namespace orrery
