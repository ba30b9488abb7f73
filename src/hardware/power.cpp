// SPDX-License-Identifier: Apache-2.0
#include "hardware/power.h"

#include <algorithm>
#include <cmath>

#include "core/significant_bits.h"

namespace orrery {
namespace {

Watts rated_power(const Cluster& c) {
  return c.device.power * static_cast<double>(devices_of_system(c));
}

}  // namespace

bool node_power_is_known(const Cluster& c) { return system_power(c) > rated_power(c); }

Watts power_around_devices(const Cluster& c) {
  return node_power_is_known(c) ? system_power(c) - rated_power(c) : Watts();
}

Watts most_power(const Cluster& c, double systems) {
  const Watts devices = cap_of(c) * static_cast<double>(devices_of_system(c));
  return (devices + power_around_devices(c)) * systems;
}

std::optional<Watts> cap_within(const Cluster& c, double systems, Watts limit) {
  const Watts each = limit * (1 / systems) - power_around_devices(c);
  const Watts whole(std::floor(each.si() / static_cast<double>(devices_of_system(c))));
  const Watts cap = std::min(whole, cap_of(c));
  if (!is_known(c.device.clock) || cap < least_power_cap(c.device)) return {};
  return cap;
}

Watts drawn_at(const ClockLaw& c, double clock, double load) {
  return c.at_rest + c.at_load * (load * to_40_bits(std::pow(clock, c.exponent)));
}

double power_left_by_cap(const Cluster& c, double mean, double load) {
  const ClockLaw& law = c.device.clock;
  const Watts cap = cap_of(c);
  if (!is_known(law) || cap == c.device.power) return 1;
  return drawn_at(law, sustained_clock(law, cap, mean), load) /
         drawn_at(law, sustained_clock(law, c.device.power, mean), load);
}

}  // namespace orrery
