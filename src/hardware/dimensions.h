// SPDX-License-Identifier: Apache-2.0
//
// The units of the fields of a hardware file.
#pragma once

#include "orrery/quantity.h"

namespace orrery {

inline constexpr Dimension kRate = kBytes - kSeconds;
inline constexpr Dimension kPower = kJoules - kSeconds;

}  // namespace orrery
