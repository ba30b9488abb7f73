// SPDX-License-Identifier: Apache-2.0
//
// The table of estimate/accuracy.h from residuals of rows whose source was left out.
//
// A cell is asked of framework × generation × range of GPUs, then of framework × generation, of the
// framework, of the generation, of all. Inside a cell n rows of one source weigh √n together, and
// what the wider cell says is mixed in with a fixed weight, so that few runs of one source do not
// make a narrow interval. The interval is what 80 % of |ln(measured/predicted)| keep: the sign of
// other sources' errors says little of the next one's. Errors: none.
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
