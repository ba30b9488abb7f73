// SPDX-License-Identifier: Apache-2.0
//
// The calibrations under the rows of a sweep. Errors: InputError, of an overlay that is none.
#pragma once

#include <string>

#include "core/json_fwd.h"

namespace orrery {

struct ConfigLookup;  // estimate/config_lookup.h
struct SweepPlan;     // explore/sweep.h

// Whether the sweep's run names a calibration, or one of its axes does.
bool is_calibrated(const SweepPlan& sweep);

// "here (measured on this machine)"; several with " · " between; "" where the run names none.
std::string calibrations_text(const Json& run, const std::string& file, const ConfigLookup& lookup);

// The documents as text, so that rows of two of one name are never taken for one sweep's.
std::string calibration_documents(const Json& run, const std::string& file,
                                  const ConfigLookup& lookup);

}  // namespace orrery
