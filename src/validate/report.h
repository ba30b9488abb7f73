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
  std::vector<FitSummary> fits;  // of each protocol, as the next
  std::vector<RegretSummary> regrets;
  std::vector<Sweep> sweeps;
  bool left_out = false;  // each row predicted without its source
};

// Rows that all have the same protocol, or none: it stands before the names of scopes and sweeps.
ValidationReport report_of(std::vector<JudgedRow> rows);

// Both in one.
ValidationReport joined(ValidationReport first, ValidationReport second);

ValidationReport validate(const std::vector<Row>& rows, const ConfigLookup& lookup);

}  // namespace orrery
