// SPDX-License-Identifier: Apache-2.0
#include "hardware/clock_law.h"

#include <cmath>

#include "core/significant_bits.h"

namespace orrery {
namespace {

// A step brings the rate at least 14 times nearer.
constexpr int kSteps = 6;

double rate_at(const ClockLaw& c, Watts cap, double load) {
  const double rate = sustained_clock(c, cap, load);
  return c.rates_at == Watts() ? rate : rate / sustained_clock(c, c.rates_at, load);
}

}  // namespace

double sustained_clock(const ClockLaw& c, Watts cap, double load) {
  const double share = (cap - c.at_rest) / (c.at_load * load);
  return share < 1 ? to_40_bits(std::pow(share, 1 / c.exponent)) : 1;
}

double sustained_rate(const ClockLaw& c, Watts cap, const WorkByClock& work) {
  double rate = 1;
  for (int i = 0; i < kSteps; ++i) {
    const Seconds products = work.products / rate;
    if (!(products > Seconds())) return 1;
    rate = rate_at(c, cap, mean_load(c, products / (products + work.other)));
  }
  return rate;
}

}  // namespace orrery
