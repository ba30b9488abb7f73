// SPDX-License-Identifier: Apache-2.0
//
// A fit of measurements: its errors and constants, measured beside fitted, rates over size.
//
// Errors are medians of |predicted/measured − 1|: by the documents, by the fit, by fits without the
// point (held out), and of products by a plain saturating curve, left out alike. A line of CSV is a
// point.
#pragma once

#include <vector>

#include "calibrate/fit_measurements.h"
#include "core/json.h"
#include "document/document.h"

namespace orrery {

struct CalibrationReport {
  MeasurementFit fit;
  std::vector<MeasurementSet> sets;
  std::vector<Measurement> points;  // of all sets
  Json overlay;
};

AnswerDocument calibration_document(const CalibrationReport& r);
Json calibration_json(const CalibrationReport& r);

}  // namespace orrery
