// SPDX-License-Identifier: Apache-2.0
//
// Numbers with fewer bits. C libraries differ in the last bit of an exponential, and an answer is
// the same everywhere: what an exponential makes of an input is given with 40 bits, twelve digits.
#pragma once

#include <cmath>

namespace orrery {

inline double to_40_bits(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 40)), exponent - 40);
}

}  // namespace orrery
