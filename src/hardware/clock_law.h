// SPDX-License-Identifier: Apache-2.0
//
// The clock that a device keeps within its power.
//
// At clock f, of f_max, and under load u a device draws
//
//   P(f) = P0 + A·u·(f/f_max)^γ:
//
// P0 at any clock, and A more at the highest clock under matrix products or attention alone, u = 1.
// Dynamic power is C·V²·f, and the voltage rises with the clock. Where that is more than the cap,
// the device lowers its clock within milliseconds until P(f) is the cap. Kernels that move bytes,
// and waiting for other devices, load it by `other_load`, in the mean over the tens of milliseconds
// in which power is controlled. Products and attention run at the clock's rate; memory, links and
// the host do not know of it.
//
// Leaves out: temperature, differences between two samples of a part, what the data switch (zeros
// draw less), and caps below half of the rated power, where measured rates fall faster than this.
// Units: SI. Errors: none; hardware/device_reader.h refuses a law that no cap can meet.
#pragma once

#include "orrery/quantity.h"

namespace orrery {

struct ClockLaw {
  PerSecond highest{};    // f_max; 0: no law is known for the device
  Watts at_rest{};        // P0
  Watts at_load{};        // A
  double exponent = 1;    // γ
  double other_load = 1;  // u of all but products and attention
  Watts rates_at{};       // power under which the device's rates hold; 0: they are of f_max

  bool operator==(const ClockLaw&) const = default;
};

constexpr bool is_known(const ClockLaw& c) { return c.highest > PerSecond(); }

// The mean load while products and attention take `share` of the time.
constexpr double mean_load(const ClockLaw& c, double share) {
  return share + c.other_load * (1 - share);
}

// f/f_max under this cap and load, at most 1. `cap` is more than P0, `load` above 0.
double sustained_clock(const ClockLaw& c, Watts cap, double load);

// The time of products and attention at the device's rates, and of everything beside them.
struct WorkByClock {
  Seconds products{};
  Seconds other{};
};

// The rate of products and attention under this cap over the device's own. A slower clock gives
// them a larger share of the time, and so a higher load.
double sustained_rate(const ClockLaw& c, Watts cap, const WorkByClock& work);

}  // namespace orrery
