// SPDX-License-Identifier: Apache-2.0
//
// Clocks and power of a device, where the driver's own library is found at run time; else "".
#pragma once

#include <string>

namespace orrery {

std::string clocks_and_power(unsigned device);

}  // namespace orrery
