// SPDX-License-Identifier: Apache-2.0
//
// The table of estimate/accuracy.h from residuals of rows whose source was left out.
//
// Cells: framework × generation × range of GPUs, then framework × generation, framework,
// generation, all. Inside a cell n rows of one source weigh √n together, and the wider cell is
// mixed in with a fixed weight, so that a few runs of one source do not make a narrow interval. The
// interval holds 80 % of |ln(measured/predicted)|: the sign of other sources' errors says little
// about the next one's. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "estimate/accuracy.h"
#include "validate/judge.h"

namespace orrery {

struct Residual {
  std::string framework;
  std::string generation;
  std::string source;
  std::int64_t gpus = 0;
  double log = 0;  // ln(measured/predicted)
};

Residual residual_of(const JudgedRow& r, double log_ratio);

Accuracy accuracy_from(const std::vector<Residual>& residuals);

// As configs/accuracy.json.
std::string accuracy_json(const Accuracy& table);

}  // namespace orrery
