// SPDX-License-Identifier: Apache-2.0
#include "validate/residual_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace orrery {
namespace {

constexpr double kPart = 0.1;  // of a step, for a row to say something of a part
using Errors = std::vector<double>;
using RowsBySource = std::map<std::string, std::vector<const JudgedRow*>>;

RowsBySource rows_by_source(const ValidationReport& report, RowTier tier) {
  RowsBySource by;
  for (const JudgedRow& r : report.rows) {
    if (time_error(r) && counts(r) && r.row.tier == tier) by[r.row.source.group].push_back(&r);
  }
  return by;
}

double ratio(const JudgedRow& r) { return 1 + *time_error(r); }

double level_of(const std::vector<const JudgedRow*>& rows) {
  Errors ratios;
  for (const JudgedRow* r : rows) ratios.push_back(ratio(*r));
  return quantile(ratios, 0.5);
}

// With `level` 1, the errors themselves.
Errors errors_over(const std::vector<const JudgedRow*>& rows, double level) {
  Errors errors;
  for (const JudgedRow* r : rows) errors.push_back(ratio(*r) / level - 1);
  return errors;
}

Errors errors_without(const RowsBySource& by, const std::string& source) {
  Errors all;
  for (const auto& [name, rows] : by) {
    if (name == source) continue;
    const Errors errors = errors_over(rows, 1);
    all.insert(all.end(), errors.begin(), errors.end());
  }
  return all;
}

std::string p90_text(const Errors& errors) {
  return errors.empty() ? "" : share_text(summarise(errors).p90);
}

// Times of runs that are alike, by what the run says.
std::map<std::string, std::vector<const JudgedRow*>> rows_by_run(const ValidationReport& report) {
  std::map<std::string, std::vector<const JudgedRow*>> by;
  for (const JudgedRow& r : report.rows) {
    if (!time_error(r)) continue;
    Json run = r.row.run;
    if (run.contains("model") && run.at("model").is_object()) {
      run["model"].erase("name");
      run["model"].erase("stated_parameters");
    }
    by[run.dump()].push_back(&r);
  }
  return by;
}

// Measured step times, each once: a number printed again is no second measurement.
Errors distinct_times(const std::vector<const JudgedRow*>& rows) {
  Errors times;
  for (const JudgedRow* r : rows) times.push_back(r->published.time.si());
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

std::string sources_of(const std::vector<const JudgedRow*>& rows) {
  std::string text;
  for (const JudgedRow* r : rows) {
    if (text.find(r->row.source.group) != std::string::npos) continue;
    text += (text.empty() ? "" : ", ") + r->row.source.group;
  }
  return text;
}

}  // namespace

std::vector<Cells> source_table(const ValidationReport& report, RowTier tier) {
  const RowsBySource by = rows_by_source(report, tier);
  std::vector<Cells> table = {
      {"source", "rows", "level", "median", "p90", "form p90", "p90 of all others"}};
  for (const auto& [name, rows] : by) {
    const double level = level_of(rows);
    const ErrorSummary all = summarise(errors_over(rows, 1));
    table.push_back({name, std::to_string(rows.size()), signed_share_text(level - 1),
                     share_text(all.median), share_text(all.p90),
                     p90_text(errors_over(rows, level)), p90_text(errors_without(by, name))});
  }
  return table;
}

std::string level_sentence(const ValidationReport& report, RowTier tier) {
  double levels = 0;
  double all = 0;
  std::size_t n = 0;
  for (const auto& [name, rows] : rows_by_source(report, tier)) {
    double mean = 0;
    for (const JudgedRow* r : rows) mean += std::log(ratio(*r)) / static_cast<double>(rows.size());
    for (const JudgedRow* r : rows) all += std::pow(std::log(ratio(*r)), 2);
    levels += mean * mean * static_cast<double>(rows.size());
    n += rows.size();
  }
  const std::string letter(name_of(tier));
  const double count = static_cast<double>(std::max<std::size_t>(n, 1));
  return "Root mean square of ln(predicted/measured) over " + std::to_string(n) + " rows of tier " +
         letter + ": " + share_text(std::sqrt(all / count)) + "; of its square, " +
         share_text(all > 0 ? levels / all : 0) +
         " is a factor common to all rows of a source, the rest differs inside sources.";
}

std::vector<Cells> part_table(const ValidationReport& report, RowTier tier) {
  std::array<Errors, kTerms> form;
  for (const auto& [name, rows] : rows_by_source(report, tier)) {
    const double level = level_of(rows);
    for (const JudgedRow* r : rows) {
      for (std::size_t t = 0; t < kTerms; ++t) {
        if (r->answer.breakdown[t] < r->answer.step_time * kPart) continue;
        form[t].push_back(ratio(*r) / level - 1);
      }
    }
  }
  std::vector<Cells> table = {{"part of the step", "rows", "median", "p90", "bias"}};
  for (std::size_t t = 0; t < kTerms; ++t) {
    if (form[t].empty()) continue;
    const ErrorSummary s = summarise(form[t]);
    table.push_back({std::string(kNamesOf<Term>[t]), std::to_string(s.count), share_text(s.median),
                     share_text(s.p90), signed_share_text(s.bias)});
  }
  return table;
}

std::vector<Cells> repeat_table(const ValidationReport& report) {
  std::vector<Cells> table = {
      {"run", "source", "measured", "longest over shortest", "predicted over their middle"}};
  for (const auto& [run, rows] : rows_by_run(report)) {
    const Errors times = distinct_times(rows);
    if (times.size() < 2) continue;
    std::string measured;
    for (const double t : times) measured += (measured.empty() ? "" : ", ") + decimals(t, 2);
    const double predicted = rows.front()->answer.step_time.si();
    table.push_back({rows.front()->row.id, sources_of(rows), measured + " s",
                     signed_share_text(times.back() / times.front() - 1),
                     signed_share_text(predicted / quantile(times, 0.5) - 1)});
  }
  std::sort(table.begin() + 1, table.end());
  return table;
}

std::vector<Cells> blame_table(const ValidationReport& report, RowTier tier, double beyond) {
  constexpr std::size_t kWhose = kCountOf<Whose>;
  std::vector<Cells> table = {{"source", "rows beyond", "ours", "theirs", "unknown"}};
  for (const auto& [name, rows] : rows_by_source(report, tier)) {
    std::array<std::size_t, kWhose> whose{};
    std::size_t all = 0;
    for (const JudgedRow* r : rows) {
      if (std::abs(*time_error(*r)) <= beyond) continue;
      const Doubt* doubt = doubt_of(report.doubts, DoubtOf::time, r->row.id);
      ++whose[static_cast<std::size_t>(doubt == nullptr ? Whose::unknown : doubt->whose)];
      ++all;
    }
    if (all == 0) continue;
    Cells cells = {name, std::to_string(all)};
    for (const std::size_t n : whose) cells.push_back(std::to_string(n));
    table.push_back(cells);
  }
  return table;
}

std::vector<Cells> misjudged_table(const ValidationReport& report) {
  std::vector<Cells> table = {{"row", "published", "peak predicted", "of", "believed wrong"}};
  for (const JudgedRow& r : report.rows) {
    if (!is_estimated(r) || !counts(r) || fits(r) == !r.row.measured.out_of_memory) continue;
    const Doubt* doubt = doubt_of(report.doubts, DoubtOf::memory, r.row.id);
    table.push_back({r.row.id, r.row.measured.out_of_memory ? "out of memory" : "ran",
                     decimals(r.answer.memory.peak / kGiB, 1) + " GiB",
                     decimals(r.answer.capacity / kGiB, 1) + " GiB",
                     doubt == nullptr ? "" : doubt->why});
  }
  return table;
}

std::vector<Cells> memory_source_table(const ValidationReport& report) {
  std::map<std::string, Errors> by;
  for (const JudgedRow& r : report.rows) {
    if (!memory_error(r)) continue;
    const auto kind = static_cast<std::size_t>(r.row.measured.memory_kind);
    by[r.row.source.group + ", " + std::string(kNamesOf<MemoryKind>[kind])].push_back(
        *memory_error(r));
  }
  std::vector<Cells> table = {{"memory", "rows", "median", "p90", "bias", "p90 of all others"}};
  for (const auto& [name, errors] : by) {
    Errors others;
    for (const auto& [other, values] : by) {
      if (other != name) others.insert(others.end(), values.begin(), values.end());
    }
    const ErrorSummary s = summarise(errors);
    table.push_back({name, std::to_string(s.count), share_text(s.median), share_text(s.p90),
                     signed_share_text(s.bias), p90_text(others)});
  }
  return table;
}

}  // namespace orrery
