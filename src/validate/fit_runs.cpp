// SPDX-License-Identifier: Apache-2.0
#include "validate/fit_runs.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "estimate/workspace.h"
#include "validate/judge.h"

namespace orrery {
namespace {

constexpr double kNoSlope = 1e-9;  // a lower one moves no time

template <class T>
std::size_t index_of(std::vector<T>& list, const T& value) {
  const auto found = std::find(list.begin(), list.end(), value);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.push_back(value);
  return list.size() - 1;
}

bool is_never_fitted(const FitParameters& p, const std::string& group, const std::string& level) {
  return std::any_of(p.never_fit.begin(), p.never_fit.end(),
                     [&](const std::string& n) { return n == group || n == level; });
}

void add_case(FitRuns& out, const std::vector<JudgedRow>& rows, std::size_t row) {
  const JudgedRow& r = rows[row];
  const std::string& group = r.row.source.group;
  Run run = r.run;
  FitDatum d;
  d.noise = out.parameters.noise[static_cast<std::size_t>(r.row.tier)];
  d.level = index_of(out.levels, group + ", " + r.framework);
  for (std::size_t k = 0; k < out.parameters.parameters.size(); ++k) {
    const FitParameter& p = out.parameters.parameters[k];
    if (!concerns(p, run)) continue;
    d.knobs.push_back(k);
    if (p.fitted != 0) apply(p, -p.fitted, run);
  }
  const bool fitted = !is_never_fitted(out.parameters, group, out.levels[d.level]);
  out.cases.push_back(
      {row, index_of(out.groups, group), index_of(out.teams, r.row.source.team), fitted});
  out.problem.data.push_back(std::move(d));
  out.runs.push_back(run);
}

// A source counts for at most so many rows.
void set_weights(FitRuns& out) {
  std::vector<double> rows(out.groups.size(), 0);
  for (const FitCase& c : out.cases) rows[c.group] += 1;
  for (std::size_t i = 0; i < out.cases.size(); ++i) {
    const double n = rows[out.cases[i].group];
    out.problem.data[i].weight = std::min(1.0, out.parameters.rows_per_source / n);
  }
}

void drop_what_moves_nothing(FitRuns& out) {
  for (std::size_t i = 0; i < out.cases.size(); ++i) {
    std::vector<std::size_t> knobs;
    std::vector<double> slopes;
    for (std::size_t j = 0; j < out.problem.data[i].knobs.size(); ++j) {
      if (std::abs(out.prior.slopes[i][j]) < kNoSlope) continue;
      knobs.push_back(out.problem.data[i].knobs[j]);
      slopes.push_back(out.prior.slopes[i][j]);
    }
    out.problem.data[i].knobs = std::move(knobs);
    out.prior.slopes[i] = std::move(slopes);
  }
}

void refuse_too_few(const FitRuns& out) {
  const auto rows =
      std::count_if(out.cases.begin(), out.cases.end(), [](const FitCase& c) { return c.fitted; });
  std::vector<bool> moved(out.parameters.parameters.size(), false);
  for (const FitDatum& d : out.problem.data) {
    for (const std::size_t k : d.knobs) moved[k] = true;
  }
  const auto constants = std::count(moved.begin(), moved.end(), true);
  if (rows > constants) return;
  throw InputError(
      "orrery validate", "",
      std::to_string(rows) + " rows to fit " + std::to_string(constants) + " constants on",
      "more rows than constants");
}

}  // namespace

std::unique_ptr<FitRuns> fit_runs(const std::vector<JudgedRow>& rows, FitParameters parameters) {
  auto out = std::make_unique<FitRuns>();
  out->parameters = std::move(parameters);
  for (const JudgedRow& r : rows) {
    if (!time_error(r) || !counts(r)) continue;
    index_of(out->groups, r.row.source.group);
    index_of(out->teams, r.row.source.team);
  }
  std::sort(out->groups.begin(), out->groups.end());
  std::sort(out->teams.begin(), out->teams.end());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (time_error(rows[i]) && counts(rows[i])) add_case(*out, rows, i);
  }
  for (const FitParameter& p : out->parameters.parameters) {
    out->problem.knobs.push_back({p.lowest / p.spread, p.highest / p.spread});
  }
  out->problem.levels = out->levels.size();
  out->problem.level_spread = out->parameters.level_spread;
  set_weights(*out);
  out->problem.residual = [runs = out.get(), &rows, workspace = std::make_shared<Workspace>()](
                              std::size_t i, const std::vector<double>& x) {
    const Seconds time = estimate<double>(run_at(*runs, i, x), *workspace).step_time;
    return std::log(time / rows[runs->cases[i].row].published.time);
  };
  out->prior = slopes_at(out->problem, std::vector<double>(out->problem.knobs.size(), 0));
  drop_what_moves_nothing(*out);
  refuse_too_few(*out);
  out->linear = out->problem;
  out->linear.residual = [runs = out.get()](std::size_t i, const std::vector<double>& x) {
    double r = runs->prior.residuals[i];
    const FitDatum& d = runs->problem.data[i];
    for (std::size_t j = 0; j < d.knobs.size(); ++j) r += runs->prior.slopes[i][j] * x[d.knobs[j]];
    return r;
  };
  return out;
}

FitSelection everything(const FitRuns& runs) {
  FitSelection s = select_all(runs.problem);
  for (std::size_t i = 0; i < runs.cases.size(); ++i) s.data[i] = runs.cases[i].fitted;
  return s;
}

Run run_at(const FitRuns& runs, std::size_t i, const std::vector<double>& x) {
  Run run = runs.runs[i];
  for (const std::size_t k : runs.problem.data[i].knobs) {
    const FitParameter& p = runs.parameters.parameters[k];
    if (x[k] != 0) apply(p, x[k] * p.spread, run);
  }
  return run;
}

void set_constants(const FitParameters& parameters, const std::vector<double>& x, Run& run) {
  for (std::size_t k = 0; k < parameters.parameters.size(); ++k) {
    const FitParameter& p = parameters.parameters[k];
    const double change = x[k] * p.spread - p.fitted;
    if (change != 0 && concerns(p, run)) apply(p, change, run);
  }
}

}  // namespace orrery
