// SPDX-License-Identifier: Apache-2.0
//
// Rows in, verdicts and their summaries out; and the ways to write them.
//
// CSV is a line a row. Markdown is docs/validation.md.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
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

std::string validation_text(const ValidationReport& report);
Json validation_json(const ValidationReport& report);
std::string validation_csv(const ValidationReport& report);
std::string validation_markdown(const ValidationReport& report);

}  // namespace orrery
