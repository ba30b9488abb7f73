// SPDX-License-Identifier: Apache-2.0
#include "hardware/power.h"

#include <algorithm>
#include <cmath>

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

}  // namespace orrery
