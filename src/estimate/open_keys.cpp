// SPDX-License-Identifier: Apache-2.0
#include "estimate/open_keys.h"

#include <cmath>

#include "core/significant_bits.h"

namespace orrery {

StepInterval widened(const StepInterval& interval, std::span<const Alternative> alternatives,
                     double Alternative::*ratio) {
  double below = 0;
  double above = 0;
  for (const Alternative& a : alternatives) {
    const double away = std::log(a.*ratio);
    (away < 0 ? below : above) += a.weight * away * away;
  }
  StepInterval wide = interval;
  wide.low =
      to_40_bits(std::exp(-std::hypot(std::log(interval.low), kNormal80 * std::sqrt(below))));
  wide.high =
      to_40_bits(std::exp(std::hypot(std::log(interval.high), kNormal80 * std::sqrt(above))));
  return wide;
}

}  // namespace orrery
