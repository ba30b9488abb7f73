// SPDX-License-Identifier: Apache-2.0
//
// Whether measured times that fall where the bytes rise can be noise.
//
// Two times of relative spread s differ by s·√2; a fall of three times that, beyond the 5 % that
// clocks and other users of a machine make, is none. Where no spread is stated it is taken to be
// 12 %: single nccl-tests of small messages scatter so (of the published curves the worst falls by
// 32 % where the message doubles). Units: SI. Errors: none.
#pragma once

#include <algorithm>
#include <cmath>

#include "orrery/quantity.h"

namespace orrery {

inline constexpr double kUnstatedSpread = 0.12;

struct TimedWork {
  Seconds time{};
  double spread = 0;  // relative, one standard deviation; 0: not stated
};

// `more` is more work than `less` of the same kind.
inline bool falls_beyond_noise(const TimedWork& less, const TimedWork& more) {
  constexpr double kDrift = 0.05;
  constexpr double kDeviations = 3;
  const auto spread = [](const TimedWork& t) { return t.spread > 0 ? t.spread : kUnstatedSpread; };
  const double noise = kDrift + kDeviations * std::hypot(spread(less), spread(more));
  return std::log(less.time / more.time) > noise;
}

}  // namespace orrery
