// SPDX-License-Identifier: Apache-2.0
#include "validate/report.h"

namespace orrery {

ValidationReport validate(const std::vector<Row>& rows, const ConfigLookup& lookup) {
  ValidationReport report;
  report.rows.reserve(rows.size());
  for (const Row& row : rows) report.rows.push_back(judge(row, lookup));
  report.summaries = summaries_of(report.rows);
  report.fit = fit_summary_of(report.rows);
  return report;
}

}  // namespace orrery
