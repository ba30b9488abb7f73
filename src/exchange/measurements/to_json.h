// SPDX-License-Identifier: Apache-2.0
//
// Measurements as the JSON that exchange/measurements/measurements.h reads back.
#pragma once

#include "calibrate/measurement.h"
#include "core/json_fwd.h"

namespace orrery {

Json measurement_json(const Measurement& m);
Json heading_json(const MeasurementSet& set);  // all but the measurements
Json measurements_json(const MeasurementSet& set);

}  // namespace orrery
