// SPDX-License-Identifier: Apache-2.0
//
// Readings of the driver's management library: its version, and a device's clocks and power.
// The library is found at run time; without it the version is "" and the readings are 0.
#pragma once

#include <string>

#include "calibrate/bench.h"

namespace orrery {

std::string driver_version();

// `bus` is the device's PCI address, "0000:1b:00.0": numbers differ where some devices are hidden.
ClockReading clocks_and_power(const std::string& bus);

}  // namespace orrery
