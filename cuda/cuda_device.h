// SPDX-License-Identifier: Apache-2.0
//
// The first GPU of this machine as a MeasuringDevice. Work whose library was not found at build
// time is left out by name. Errors: std::runtime_error with the call that failed.
#pragma once

#include <memory>
#include <string>

#include "calibrate/bench.h"

namespace orrery {

// Nothing, and why in `why_not`, where there is no GPU, no driver, or none that can be used.
std::unique_ptr<MeasuringDevice> open_cuda_device(std::string& why_not);

}  // namespace orrery
