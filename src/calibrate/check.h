// SPDX-License-Identifier: Apache-2.0
//
// Checks a calibration against new measurements, kind by kind.
//
// A new driver, a power cap or another GPU of the same name change all work of a kind together. A
// kind holds if the median of ln(predicted/measured) is within twice the held-out error of the
// calibration's own fit of that kind, or within 3 % if that is larger. A kind that was not fitted
// is shown and not judged. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "calibrate/measurement.h"
#include "hardware/calibration.h"
#include "hardware/cluster.h"

namespace orrery {

struct CheckedKind {
  std::string name;
  std::size_t points = 0;
  double bias = 0;    // median of predicted/measured − 1
  double median = 0;  // of |predicted/measured − 1|
  double bound = 0;   // of |bias|; 0: this kind was not fitted
  bool holds = true;
};

// `calibrated` is the machine with the calibration applied.
std::vector<CheckedKind> check_calibration(const Calibration& c, const Cluster& calibrated,
                                           const std::vector<Measurement>& points);

bool holds(const std::vector<CheckedKind>& kinds);

}  // namespace orrery
