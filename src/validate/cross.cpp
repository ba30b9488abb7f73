// SPDX-License-Identifier: Apache-2.0
#include "validate/cross.h"

#include <cmath>
#include <map>
#include <set>

namespace orrery {
namespace {

// Frameworks of the sources that a fit without `group` saw.
std::set<std::string> frameworks_without(const std::vector<JudgedRow>& rows, const FitRuns& runs,
                                         std::size_t group) {
  std::set<std::string> seen;
  for (const FitCase& c : runs.cases) {
    if (c.fitted && c.group != group) seen.insert(rows[c.row].framework);
  }
  return seen;
}

FitSelection fold(const FitRuns& runs, const FitSelection& all, std::size_t group) {
  FitSelection s = all;
  for (std::size_t i = 0; i < runs.cases.size(); ++i) {
    if (runs.cases[i].group == group) s.data[i] = false;
  }
  return s;
}

// Mean over sources of the mean |ln(predicted/measured)| of the rows left out.
double left_out_error(const FitRuns& runs, const FitSelection& selection) {
  double sum = 0;
  for (std::size_t g = 0; g < runs.groups.size(); ++g) {
    const std::vector<double> x = fit_constants(runs, fold(runs, selection, g), 0).x;
    double errors = 0, count = 0;
    for (std::size_t i = 0; i < runs.cases.size(); ++i) {
      if (runs.cases[i].group != g) continue;
      errors += std::abs(runs.problem.residual(i, x));
      count += 1;
    }
    sum += errors / count;
  }
  return sum / static_cast<double>(runs.groups.size());
}

}  // namespace

std::vector<JudgedRow> left_out_rows(const std::vector<JudgedRow>& rows, const FitRuns& runs,
                                     const FitSelection& selection, int looks) {
  std::vector<JudgedRow> out = rows;
  Workspace workspace;
  for (std::size_t g = 0; g < runs.groups.size(); ++g) {
    const std::vector<double> x = fit_constants(runs, fold(runs, selection, g), looks).x;
    const std::set<std::string> seen = frameworks_without(rows, runs, g);
    for (std::size_t i = 0; i < runs.cases.size(); ++i) {
      if (runs.cases[i].group != g) continue;
      JudgedRow& r = out[runs.cases[i].row];
      r.run = run_at(runs, i, x);
      r.answer = estimate<double>(r.run, workspace);
      r.framework_seen = seen.count(r.framework) > 0;
    }
  }
  return out;
}

AblationReport ablate(const FitRuns& runs) {
  const FitSelection all = everything(runs);
  AblationReport report;
  report.error = left_out_error(runs, all);
  const ConstantsFit fitted = fit_constants(runs, all, 0);
  for (std::size_t k = 0; k < fitted.constants.size(); ++k) {
    if (!fitted.constants[k].pinned) continue;
    FitSelection s = all;
    s.knobs[k] = false;
    report.without.push_back({k, left_out_error(runs, s)});
  }
  return report;
}

}  // namespace orrery
