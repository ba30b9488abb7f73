// SPDX-License-Identifier: Apache-2.0
//
// Rows in, verdicts and their summaries out; and the ways to write them.
//
// CSV is a line a row. Markdown is docs/validation.md.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/json.h"
#include "validate/doubts.h"
#include "validate/judge.h"
#include "validate/ranking.h"
#include "validate/summary.h"

namespace orrery {

struct ValidationReport {
  std::vector<JudgedRow> rows;
  std::vector<Summary> summaries;
  FitSummary fit;
  std::vector<Sweep> sweeps;
  std::vector<Doubt> doubts;
  bool left_out = false;  // each row predicted by a fit without its source
};

ValidationReport report_of(std::vector<JudgedRow> rows, bool left_out = false);
ValidationReport validate(const std::vector<Row>& rows, const ConfigLookup& lookup);

std::string validation_text(const ValidationReport& report);
Json validation_json(const ValidationReport& report);
std::string validation_csv(const ValidationReport& report);
// One page with plots, nothing to fetch.
std::string validation_html(const ValidationReport& report);

// What the page says besides: the same rows with their sources left out, and the constants fitted.
struct MarkdownExtras {
  ValidationReport left_out;
  std::vector<std::pair<std::string, std::vector<std::vector<std::string>>>> tables;
};

std::string validation_markdown(const ValidationReport& report,
                                const MarkdownExtras* extras = nullptr);

}  // namespace orrery
