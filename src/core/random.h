// SPDX-License-Identifier: Apache-2.0
//
// Random numbers: a function of seed and place, independent of the order of calls.
// Errors: none.
#pragma once

#include <cstdint>

namespace orrery {

// Uniform over [0, 1): splitmix64 (Steele, Lea, Flood 2014) of the three.
inline double uniform_number(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15U + a * 0xbf58476d1ce4e5b9U + b + 1;
  for (int i = 0; i < 2; ++i) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    x ^= x >> 31;
  }
  return static_cast<double>(x >> 11) * 0x1p-53;
}

}  // namespace orrery
