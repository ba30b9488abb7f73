// SPDX-License-Identifier: Apache-2.0
//
// The document of a fit: the overlay of hardware/calibration.h.
//
// Names the pinned constants, each with its uncertainty, and the tile if another fits better;
// constants that are not pinned keep the documents' value and are not named. Values are rounded to
// four digits. Dates are those of the measurements, not of the clock. Units: as in the documents.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit_measurements.h"
#include "core/json_fwd.h"

namespace orrery {

struct OverlayHeading {
  std::string name;
  std::string device;
  std::string node;  // "" without a node
};

Json overlay_json(const MeasurementFit& fit, const std::vector<MeasurementSet>& sets,
                  const OverlayHeading& heading);

// All points of the sets, in the order of the fit.
std::vector<Measurement> points_of(const std::vector<MeasurementSet>& sets);

}  // namespace orrery
