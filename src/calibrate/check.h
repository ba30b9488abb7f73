// SPDX-License-Identifier: Apache-2.0
//
// Whether a calibration still holds: what it predicts against new measurements, kind by kind.
//
// A changed driver, a power cap, another GPU of the same name move all of a kind together. A kind
// holds where the median of ln(predicted/measured) is within twice the held-out error of the
// calibration's own fit of that kind, and 3 % where that is less; a kind it was not fitted on is
// shown, and judged by nothing. Errors: none.
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
  double bound = 0;   // of |bias|; 0: not fitted on such
  bool holds = true;
};

// `calibrated` is the machine with the calibration over it.
std::vector<CheckedKind> check_calibration(const Calibration& c, const Cluster& calibrated,
                                           const std::vector<Measurement>& points);

bool holds(const std::vector<CheckedKind>& kinds);

}  // namespace orrery
