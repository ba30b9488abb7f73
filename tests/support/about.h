// SPDX-License-Identifier: Apache-2.0
//
// Equal to a number but for a small share of it. doctest's own Approx takes a share of the number
// plus one, which any two times of microseconds meet.
#pragma once

#include <doctest/doctest.h>

namespace orrery::testing {

inline doctest::Approx about(double x) { return doctest::Approx(x).scale(x == 0 ? 1 : 0); }

}  // namespace orrery::testing
