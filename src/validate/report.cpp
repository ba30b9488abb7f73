// SPDX-License-Identifier: Apache-2.0
#include "validate/report.h"

#include <iterator>

#include "estimate/config_lookup.h"

namespace orrery {

namespace {

template <class T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

ValidationReport report_of(std::vector<JudgedRow> rows) {
  ValidationReport report;
  report.rows = std::move(rows);
  report.summaries = summaries_of(report.rows);
  report.fits = {fit_summary_of(report.rows)};
  report.sweeps = sweeps_of(report.rows);
  report.regrets = {regret_summary_of(report.sweeps)};
  report.left_out = !report.rows.empty() && report.rows.front().protocol;
  if (!report.left_out) return report;
  const std::string protocol(name_of(*report.rows.front().protocol));
  for (Summary& s : report.summaries) s.scope = protocol + ": " + s.scope;
  report.fits.front().scope = report.regrets.front().scope = protocol;
  for (Sweep& s : report.sweeps) s.name = protocol + ": " + s.name;
  return report;
}

ValidationReport joined(ValidationReport first, ValidationReport second) {
  append(first.rows, second.rows);
  append(first.summaries, second.summaries);
  append(first.fits, second.fits);
  append(first.regrets, second.regrets);
  append(first.sweeps, second.sweeps);
  first.left_out = first.left_out || second.left_out;
  return first;
}

ValidationReport validate(const std::vector<Row>& rows, const ConfigLookup& lookup) {
  std::vector<JudgedRow> judged;
  judged.reserve(rows.size());
  for (const Row& row : rows) judged.push_back(judge(row, lookup));
  return report_of(std::move(judged));
}

}  // namespace orrery
