// SPDX-License-Identifier: Apache-2.0
//
// The clock that a device's power sustains, as a factor of the rates of products and attention
// (hardware/clock_law.h). Errors: none.
#pragma once

#include "core/number.h"
#include "hardware/device.h"

namespace orrery {

template <Number R>
R sustained(R rate, const Device& d) {
  if (d.sustained == 1) return rate;
  return rate * lift<R>(d.sustained, {"clock that the power sustains, over that of the rates"});
}

}  // namespace orrery
