// SPDX-License-Identifier: Apache-2.0
#include "validate/cross.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "estimate/workspace.h"

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
    const std::vector<double> x = fit_linear(runs, fold(runs, outer, g)).x;
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

// Where each case is left out: with its source, or with every fifth row of its source.
std::vector<std::size_t> folds_by_source(const FitRuns& runs) {
  std::vector<std::size_t> fold;
  for (const FitCase& c : runs.cases) fold.push_back(c.group);
  return fold;
}

std::vector<std::size_t> folds_by_row(const FitRuns& runs) {
  constexpr std::size_t kFolds = 5;
  std::vector<std::size_t> seen(runs.groups.size(), 0);
  std::vector<std::size_t> fold;
  for (const FitCase& c : runs.cases) fold.push_back(seen[c.group]++ % kFolds);
  return fold;
}

// |ln(predicted/measured)| of every case, by a fit without its fold. The factor of a source is one
// where none of its rows is in the fit.
std::vector<double> errors_without_own(const FitRuns& runs, const FitSelection& selection,
                                       const std::vector<std::size_t>& fold) {
  std::vector<double> errors(runs.cases.size(), 0);
  const std::size_t folds = 1 + *std::max_element(fold.begin(), fold.end());
  for (std::size_t f = 0; f < folds; ++f) {
    FitSelection s = selection;
    for (std::size_t i = 0; i < fold.size(); ++i) s.data[i] = s.data[i] && fold[i] != f;
    const FitSolution at = fit_linear(runs, s);
    for (std::size_t i = 0; i < fold.size(); ++i) {
      if (fold[i] != f) continue;
      const double level = at.levels[runs.problem.data[i].level];
      errors[i] = std::abs(runs.linear.residual(i, at.x) + level);
    }
  }
  return errors;
}

double mean_over_sources(const FitRuns& runs, const std::vector<double>& errors) {
  std::vector<double> sum(runs.groups.size(), 0), count(runs.groups.size(), 0);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    sum[runs.cases[i].group] += errors[i];
    count[runs.cases[i].group] += 1;
  }
  double mean = 0;
  for (std::size_t g = 0; g < sum.size(); ++g) mean += sum[g] / count[g];
  return mean / static_cast<double>(sum.size());
}

LeftOutError left_out_error(const FitRuns& runs, const FitSelection& s) {
  return {mean_over_sources(runs, errors_without_own(runs, s, folds_by_source(runs))),
          mean_over_sources(runs, errors_without_own(runs, s, folds_by_row(runs)))};
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
      r.elasticities = elasticities(r.run);
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
  s.scope = kThreeObservedScope;
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
