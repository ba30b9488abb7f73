// SPDX-License-Identifier: Apache-2.0
//
// Division of counts that leaves no rest behind: pages that hold n items, the next multiple of a
// unit. Divisors are positive.
#pragma once

#include <concepts>

namespace orrery {

// a/b, rounded up.
template <std::integral I>
constexpr I divided_up(I a, I b) {
  return a / b + (a % b > 0 ? 1 : 0);
}

// The smallest multiple of `unit` that is not below n.
template <std::integral I>
constexpr I rounded_up(I n, I unit) {
  return divided_up(n, unit) * unit;
}

}  // namespace orrery
