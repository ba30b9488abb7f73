// SPDX-License-Identifier: Apache-2.0
#include "validate/consistency.h"

#include <cmath>
#include <map>
#include <set>

#include "core/json.h"
#include "validate/judge.h"
#include "validate/summary.h"

namespace orrery {
namespace {

constexpr double kExact = 0.01;
constexpr double kByFormula = 0.1;

struct Pair {
  const JudgedRow* row;
  Basis one;
  Basis other;
  Seconds first;
  Seconds second;
};

bool is_formula(Basis b) { return b > Basis::tokens; }

std::vector<Pair> pairs_of(const JudgedRow& r) {
  std::vector<Pair> pairs;
  Basis first = Basis::none;
  for (const Basis basis : kAllOf<Basis>) {
    const Seconds time = published_time_by(basis, r.row.measured, r.run);
    if (!(time > Seconds())) continue;
    if (first == Basis::none) {
      first = basis;
    } else {
      pairs.push_back({&r, first, basis, published_time_by(first, r.row.measured, r.run), time});
    }
  }
  return pairs;
}

std::string campaign(const Pair& p) {
  return p.row->row.source.group + " " + std::to_string(static_cast<int>(p.one)) + " " +
         std::to_string(static_cast<int>(p.other));
}

std::map<std::string, double> median_ratios(const std::vector<Pair>& pairs) {
  std::map<std::string, std::vector<double>> ratios;
  for (const Pair& p : pairs) ratios[campaign(p)].push_back(p.second / p.first);
  std::map<std::string, double> medians;
  for (const auto& [name, values] : ratios) medians[name] = interpolated_quantile(values, 0.5);
  return medians;
}

// A run as text: two rows with equal text measure the same run.
std::string fingerprint(const JudgedRow& r) {
  Json run = *r.row.run;
  if (run.contains("model") && run["model"].is_object()) run["model"].erase("name");
  return r.row.source.group + run.dump();
}

std::vector<std::string> repeats_in(const std::vector<JudgedRow>& rows) {
  std::map<std::string, std::string> seen;
  std::vector<std::string> out;
  for (const JudgedRow& r : rows) {
    if (!is_estimated(r)) continue;
    const auto [at, fresh] = seen.insert({fingerprint(r), r.row.id});
    if (!fresh) out.push_back(r.row.id + " runs what " + at->second + " runs");
  }
  return out;
}

}  // namespace

ConsistencyReport check_rows(const std::vector<JudgedRow>& rows) {
  ConsistencyReport report;
  std::vector<Pair> pairs;
  std::set<std::string> compared;
  for (const JudgedRow& r : rows) {
    if (!is_estimated(r) || !r.assumed.empty()) continue;
    ++report.rows;
    for (const Pair& p : pairs_of(r)) {
      pairs.push_back(p);
      compared.insert(r.row.id);
    }
  }
  report.compared = static_cast<std::int64_t>(compared.size());
  const std::map<std::string, double> medians = median_ratios(pairs);
  for (const Pair& p : pairs) {
    const double expected = is_formula(p.other) ? medians.at(campaign(p)) : 1;
    const double off = std::abs(p.second / p.first / expected - 1);
    if (off <= (is_formula(p.other) ? kByFormula : kExact)) continue;
    report.contradictions.push_back({p.row->row.id, p.one, p.other, p.first, p.second, expected});
  }
  report.repeats = repeats_in(rows);
  return report;
}

}  // namespace orrery
