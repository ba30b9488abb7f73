// SPDX-License-Identifier: Apache-2.0
//
// A fit of measurements for a person, as JSON, and as a page with pictures.
//
// Errors are medians of |predicted/measured − 1|: by the documents, by the fit, by fits without the
// point (held out), and of products by a plain saturating curve, left out alike.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit_measurements.h"
#include "core/json.h"
#include "document/words.h"

namespace orrery {

struct CalibrationReport {
  MeasurementFit fit;
  std::vector<MeasurementSet> sets;
  std::vector<Measurement> points;  // of all sets
  Json overlay;
};

std::string calibration_text(const CalibrationReport& r, const Style& style);
Json calibration_json(const CalibrationReport& r);
std::string calibration_csv(const CalibrationReport& r);  // one row a point

// Self-contained: no script, nothing fetched. Measured against fitted, and rate over size.
std::string calibration_html(const CalibrationReport& r);

}  // namespace orrery
