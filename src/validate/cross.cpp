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

// Residuals of every case by a fit without its group and without `group`.
std::vector<double> residuals_without(const FitRuns& runs, const FitSelection& selection,
                                      std::size_t group) {
  std::vector<double> out(runs.cases.size(), 0);
  const FitSelection outer = fold(runs, selection, group);
  for (std::size_t g = 0; g < runs.groups.size(); ++g) {
    if (g == group) continue;
    const std::vector<double> x = fit_linear(runs, fold(runs, outer, g));
    for (std::size_t i = 0; i < runs.cases.size(); ++i) {
      if (runs.cases[i].group == g) out[i] = runs.linear.residual(i, x);
    }
  }
  return out;
}

Accuracy accuracy_without(const std::vector<JudgedRow>& rows, const FitRuns& runs,
                          const FitSelection& selection, std::size_t group) {
  const std::vector<double> logs = residuals_without(runs, selection, group);
  std::vector<Residual> residuals;
  for (std::size_t i = 0; i < runs.cases.size(); ++i) {
    if (runs.cases[i].group == group) continue;
    residuals.push_back(residual_of(rows[runs.cases[i].row], logs[i]));
  }
  return accuracy_from(residuals);
}

double log_ratio(const JudgedRow& r) { return std::log(r.answer.step_time / r.published.time); }

// Mean over sources of the mean |ln(predicted/measured)| of the rows left out.
double left_out_error(const FitRuns& runs, const FitSelection& selection) {
  double sum = 0;
  for (std::size_t g = 0; g < runs.groups.size(); ++g) {
    const std::vector<double> x = fit_linear(runs, fold(runs, selection, g));
    double errors = 0, count = 0;
    for (std::size_t i = 0; i < runs.cases.size(); ++i) {
      if (runs.cases[i].group != g) continue;
      errors += std::abs(runs.linear.residual(i, x));
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
    const Accuracy table = accuracy_without(rows, runs, selection, g);
    for (std::size_t i = 0; i < runs.cases.size(); ++i) {
      if (runs.cases[i].group != g) continue;
      JudgedRow& r = out[runs.cases[i].row];
      r.run = run_at(runs, i, x);
      r.answer = estimate<double>(r.run, workspace);
      r.framework_seen = seen.count(r.framework) > 0;
      const StepInterval interval = interval_of(table, r.run);
      r.answer.interval_low = r.answer.step_time * interval.low;
      r.answer.interval_high = r.answer.step_time * interval.high;
    }
  }
  return out;
}

std::vector<Residual> left_out_residuals(const std::vector<JudgedRow>& left_out) {
  std::vector<Residual> out;
  for (const JudgedRow& r : left_out) {
    if (r.framework_seen) out.push_back(residual_of(r, log_ratio(r)));
  }
  return out;
}

Summary three_observed(const std::vector<JudgedRow>& left_out, const Accuracy& table) {
  constexpr std::size_t kStarts = 10;
  std::map<std::string, std::vector<double>> stacks;  // ln(measured/predicted)
  for (const JudgedRow& r : left_out) {
    if (!r.framework_seen || r.row.tier != RowTier::a) continue;
    stacks[r.row.source.group + ", " + r.framework].push_back(-log_ratio(r));
  }
  std::vector<double> errors;
  Summary s;
  s.scope = "three rows of the source observed, tier A";
  for (const auto& [stack, logs] : stacks) {
    const std::size_t n = logs.size();
    if (n < 6) continue;
    s.rows += static_cast<std::int64_t>(n);
    for (std::size_t start = 0; start < kStarts; ++start) {
      const std::set<std::size_t> own = {start * 7 % n, (start * 7 + n / 3) % n,
                                         (start * 7 + 2 * n / 3) % n};
      std::vector<double> given;
      for (const std::size_t i : own) given.push_back(logs[i]);
      const StackLevel level = stack_level(table, given);
      for (std::size_t i = 0; i < n; ++i) {
        if (own.count(i) == 0) errors.push_back(level.factor * std::exp(-logs[i]) - 1);
      }
    }
  }
  s.error = summarise(errors);
  s.one_factor = s.one_constant = s.error;
  s.error.count = s.rows;
  return s;
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
