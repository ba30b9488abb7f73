// SPDX-License-Identifier: Apache-2.0
//
// Measured collectives beside the prediction of the same: the points of one file, by collective and
// ranks, each with its error, predicted/measured − 1.
//
// The ranks sit side by side and fill nodes in order, alone, as nccl-tests runs them. Leaves out
// the scatter of the measurement. Errors: InputError where a group cannot be priced.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "document/words.h"
#include "report/collective_curve.h"

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

// One curve point by point, several a line each and all points together.
std::string collective_against_text(const std::vector<AgainstCurve>& curves, const Style& style);
Json collective_against_json(const std::vector<AgainstCurve>& curves);
std::string collective_against_csv(const std::vector<AgainstCurve>& curves);

}  // namespace orrery
