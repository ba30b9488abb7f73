// SPDX-License-Identifier: Apache-2.0
//
// Whether measured times that fall while the bytes rise can be noise.
//
// Two times of relative spread s differ by s·√2; a fall of three times that, beyond 5 % for clocks
// and other users of a machine, is no noise. The default spread is 12 %, the scatter of single
// nccl-tests of small messages (the worst published curve falls by 32 % when the message doubles).
// Units: SI. Errors: none.
#pragma once

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
