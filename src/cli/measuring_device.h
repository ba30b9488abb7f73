// SPDX-License-Identifier: Apache-2.0
//
// The GPU of this machine, where the program was built with the means to use one (ORRERY_CUDA).
#pragma once

#include <memory>
#include <string>

#include "calibrate/bench.h"

namespace orrery {

// Nothing, and why in `why_not`, where there is none.
std::unique_ptr<MeasuringDevice> open_measuring_device(std::string& why_not);

}  // namespace orrery
