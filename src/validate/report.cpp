// SPDX-License-Identifier: Apache-2.0
#include "validate/report.h"

#include "estimate/config_lookup.h"

namespace orrery {

ValidationReport report_of(std::vector<JudgedRow> rows, bool left_out) {
  ValidationReport report;
  report.rows = std::move(rows);
  report.summaries = summaries_of(report.rows);
  report.fit = fit_summary_of(report.rows);
  report.sweeps = sweeps_of(report.rows);
  report.left_out = left_out;
  return report;
}

ValidationReport validate(const std::vector<Row>& rows, const ConfigLookup& lookup) {
  std::vector<JudgedRow> judged;
  judged.reserve(rows.size());
  for (const Row& row : rows) judged.push_back(judge(row, lookup));
  return report_of(std::move(judged));
}

}  // namespace orrery
