// SPDX-License-Identifier: Apache-2.0
//
// Measured collectives beside the prediction of the same: the points of one file, by collective and
// ranks, each with its error, predicted/measured − 1.
//
// The ranks sit side by side and fill nodes in order, alone, as nccl-tests runs them. Leaves out
// the scatter of the measurement. Errors: InputError where a group cannot be priced.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "insight/collective_curve.h"

namespace orrery {

struct AgainstPoint {
  CollectivePoint predicted;
  Seconds measured{};
};

// One collective over one number of ranks.
struct AgainstCurve {
  std::string file;
  std::string source;  // "": the file does not say
  std::string role;    // whether the constants of configs/ rest on it; "" as well
  CollectiveQuestion question;
  std::vector<AgainstPoint> points;
};

double error_of(const AgainstPoint& p);

struct CurveErrors {
  std::size_t points = 0;
  double median = 0;  // of |error|, as the next
  double largest = 0;
  double bias = 0;  // median of the error
};

CurveErrors errors_of(std::span<const AgainstCurve> curves);

}  // namespace orrery
