// SPDX-License-Identifier: Apache-2.0
//
// The calibrations under the runs of a sweep: what its rows say they rest on, and what they depend
// on besides the sweep's own text. Errors: InputError where a run names none that there is.
#pragma once

#include <string>

#include "explore/sweep.h"

namespace orrery {

struct ConfigLookup;

// Whether the sweep's run names a calibration, or one of its axes does.
bool is_calibrated(const SweepPlan& sweep);

// "here (measured on this machine)"; several with " · " between; "" where the run names none.
std::string calibrations_text(const Json& run, const std::string& file, const ConfigLookup& lookup);

// The documents as text, so that rows of two of one name are never taken for one sweep's.
std::string calibration_documents(const Json& run, const std::string& file,
                                  const ConfigLookup& lookup);

}  // namespace orrery
