// SPDX-License-Identifier: Apache-2.0
//
// A fit as the document that carries it: hardware/calibration.h's overlay.
//
// Names the constants the measurements pin, each with its uncertainty, and the tile where another
// fits better; what is not pinned stays the documents' and is not named. Values are rounded to four
// digits. Leaves out the clock: dates are those the measurements give. Units: as in the documents.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit_measurements.h"
#include "core/json.h"

namespace orrery {

struct OverlayHeading {
  std::string name;
  std::string device;
  std::string node;  // "" where no node was given
};

Json overlay_json(const MeasurementFit& fit, const std::vector<MeasurementSet>& sets,
                  const OverlayHeading& heading);

// All points of the sets, in order: what the fit was given.
std::vector<Measurement> points_of(const std::vector<MeasurementSet>& sets);

}  // namespace orrery
