// SPDX-License-Identifier: Apache-2.0
//
// Rows in, verdicts and their summaries out.
#pragma once

#include <vector>

#include "validate/judge.h"
#include "validate/ranking.h"
#include "validate/summary.h"

namespace orrery {

struct ValidationReport {
  std::vector<JudgedRow> rows;
  std::vector<Summary> summaries;
  FitSummary fit;
  std::vector<Sweep> sweeps;
  bool left_out = false;  // each row predicted by a fit without its source
};

ValidationReport report_of(std::vector<JudgedRow> rows, bool left_out = false);
ValidationReport validate(const std::vector<Row>& rows, const ConfigLookup& lookup);

}  // namespace orrery
