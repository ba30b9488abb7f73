// SPDX-License-Identifier: Apache-2.0
#include "validate/work_table.h"

#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "calibrate/least_squares.h"
#include "explore/sensitivity.h"
#include "validate/summary.h"

namespace orrery {
namespace {

struct Work {
  std::string_view key;  // of the elasticity
  std::string_view name;
  double sign = -1;  // of the elasticity where more work makes the step longer
};

constexpr std::array<Work, 7> kWork = {{{"gemm_efficiency", "matrix products"},
                                        {"attention_efficiency", "attention"},
                                        {"memory_bandwidth", "memory-bound kernels"},
                                        {"node_bandwidth", "links inside a node"},
                                        {"fabric_bandwidth", "links between nodes"},
                                        {"network_latency", "latency of the network", 1},
                                        {"kernel_launch", "launches of kernels", 1}}};

// All rows are mostly this, so that its price and the level of a source cannot be told apart: the
// others are held against it.
constexpr std::size_t kYardstick = 0;

constexpr double kPriorSpread = 0.5;  // of a factor's logarithm
constexpr double kRowNoise = 0.05;    // of a row's logarithm: runs measured again differ so
constexpr double kLevelSpread = 1;    // a source's level is free

using Shares = std::array<double, kWork.size()>;

struct SharedRow {
  Shares shares{};
  double error = 0;  // ln(predicted/measured)
  std::size_t level = 0;
};

Shares shares_of(const Run& run) {
  Shares shares{};
  for (const Elasticity& e : elasticities(run)) {
    for (std::size_t k = 0; k < kWork.size(); ++k) {
      if (e.key == kWork[k].key) shares[k] = kWork[k].sign * e.value;
    }
  }
  return shares;
}

std::vector<SharedRow> shared_rows(const ValidationReport& report, RowTier tier) {
  std::map<std::string, std::size_t> levels;
  std::vector<SharedRow> rows;
  for (const JudgedRow& r : report.rows) {
    const std::optional<double> error = time_error(r);
    if (!error || !counts(r) || r.row.tier != tier) continue;
    const std::size_t level = levels.emplace(r.row.source.group, levels.size()).first->second;
    rows.push_back({shares_of(r.run), std::log(1 + *error), level});
  }
  return rows;
}

// Knob k in deviations of its prior: work k priced e^(kPriorSpread·x) times too long.
double left_over(const SharedRow& row, const std::vector<double>& x) {
  double e = row.error;
  for (std::size_t k = 0; k < kWork.size(); ++k) e -= row.shares[k] * kPriorSpread * x[k];
  return e;
}

FitProblem problem_of(const std::vector<SharedRow>& rows) {
  FitProblem p;
  p.knobs.resize(kWork.size());
  p.level_spread = kLevelSpread;
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < kWork.size(); ++k) all.push_back(k);
  for (const SharedRow& r : rows) {
    p.data.push_back({kRowNoise, 1, r.level, all});
    p.levels = std::max(p.levels, r.level + 1);
  }
  p.residual = [&rows](std::size_t i, const std::vector<double>& x) {
    return left_over(rows[i], x);
  };
  return p;
}

// Sizes of what is left once every source has its median.
ErrorSummary form_of(const std::vector<SharedRow>& rows, const std::vector<double>& x) {
  std::map<std::size_t, std::vector<double>> by_level;
  for (const SharedRow& r : rows) by_level[r.level].push_back(left_over(r, x));
  std::vector<double> errors;
  for (const auto& [level, left] : by_level) {
    const double middle = quantile(left, 0.5);
    for (const double e : left) errors.push_back(std::expm1(e - middle));
  }
  return summarise(errors);
}

double median_share(const std::vector<SharedRow>& rows, std::size_t k) {
  std::vector<double> shares;
  for (const SharedRow& r : rows) shares.push_back(r.shares[k]);
  return quantile(std::move(shares), 0.5);
}

std::int64_t rows_with(const std::vector<SharedRow>& rows, std::size_t k, double least) {
  std::int64_t n = 0;
  for (const SharedRow& r : rows) n += r.shares[k] >= least ? 1 : 0;
  return n;
}

}  // namespace

WorkTable work_table(const ValidationReport& report, RowTier tier) {
  constexpr double kTenth = 0.1;
  WorkTable out;
  out.table = {{"work", "share of the step", "rows with a tenth", "priced too long by", "±"}};
  const std::vector<SharedRow> rows = shared_rows(report, tier);
  if (rows.empty()) return out;
  const FitProblem problem = problem_of(rows);
  const std::vector<double> none(kWork.size(), 0);
  FitSelection others = select_all(problem);
  others.knobs[kYardstick] = false;
  const FitSolution s = fit(problem, others, slopes_at(problem, none), 1);
  for (std::size_t k = 0; k < kWork.size(); ++k) {
    const double factor = std::exp(kPriorSpread * s.x[k]);
    const bool yardstick = k == kYardstick;
    out.table.push_back({std::string(kWork[k].name), share_text(median_share(rows, k)),
                         std::to_string(rows_with(rows, k, kTenth)),
                         yardstick ? "the yardstick" : signed_share_text(factor - 1),
                         yardstick ? "" : share_text(factor * kPriorSpread * s.spread[k])});
  }
  const ErrorSummary before = form_of(rows, none);
  const ErrorSummary after = form_of(rows, s.x);
  out.sentence = "With all of these factors the error of form would fall from " +
                 share_text(before.median) + " (p90 " + share_text(before.p90) + ") to " +
                 share_text(after.median) + " (" + share_text(after.p90) +
                 ") on the very rows they are fitted on: what is left beyond that is no kind of "
                 "work's price.";
  return out;
}

}  // namespace orrery
