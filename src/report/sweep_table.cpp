// SPDX-License-Identifier: Apache-2.0
#include "report/sweep_table.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/units.h"
#include "document/words.h"
#include "explore/sweep.h"
#include "insight/settings.h"
#include "report/frame.h"

namespace orrery {
namespace {

struct ShownNumber {
  const char* key;  // of a row
  const char* title;
  std::string (*text)(double);
};
constexpr const char* kTokens = "tokens_per_s";
constexpr std::array kShown = {
    ShownNumber{"step_time_s", "step", [](double x) { return pretty(Seconds(x), 4); }},
    ShownNumber{kTokens, "tokens/s", [](double x) { return grouped(x); }},
    ShownNumber{"mfu", "MFU", [](double x) { return percent(x); }},
    ShownNumber{"memory.peak_gib", "peak", [](double x) { return gib_text(Bytes(x * 0x1p30), 1); }},
};

Cell number_cell(const Json& row, const ShownNumber& shown) {
  const auto found = row.find(shown.key);
  if (found == row.end() || !found->is_number()) return "–";
  const double x = found->get<double>();
  return {shown.text(x), x};
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('.') + 1); }

// A number that no row has is no column: a step of reinforcement learning has no MFU.
std::vector<ShownNumber> numbers_of(const std::vector<Json>& rows) {
  std::vector<ShownNumber> out;
  for (const ShownNumber& shown : kShown) {
    const bool is_there = std::any_of(rows.begin(), rows.end(), [&](const Json& row) {
      const auto found = row.find(shown.key);
      return found != row.end() && found->is_number();
    });
    if (is_there || rows.empty()) out.push_back(shown);
  }
  return out;
}

Table point_table(const SweepPlan& sweep, const std::vector<Json>& rows) {
  std::vector<Column> columns;
  for (const std::string& path : paths_of(sweep)) columns.push_back({last_part(path), path, true});
  const std::vector<ShownNumber> numbers = numbers_of(rows);
  for (const ShownNumber& shown : numbers) columns.push_back({shown.title, shown.key, true});
  columns.push_back({"", "status"});
  Table table(columns, 2);
  for (const Json& row : rows) {
    std::vector<Cell> cells;
    for (const std::string& path : paths_of(sweep)) cells.emplace_back(bare_text(row[path]));
    for (const ShownNumber& shown : numbers) cells.push_back(number_cell(row, shown));
    const std::string reason = bare_text(row["reason"]);
    cells.emplace_back(bare_text(row["status"]) + (reason.empty() ? "" : ": " + reason));
    table.add(std::move(cells));
  }
  return table;
}

// The most tokens a second of those that fit with 80 % or more; nullptr where none does.
const Json* best_of(const std::vector<Json>& rows) {
  const Json* best = nullptr;
  for (const Json& row : rows) {
    const bool fits = row["status"] == "fits" || row["status"] == "likely";
    if (!fits || !row.contains(kTokens) || !row[kTokens].is_number()) continue;
    if (best == nullptr || row[kTokens] > (*best)[kTokens]) best = &row;
  }
  return best;
}

Section ending(const SweepPlan& sweep, const std::vector<Json>& rows, const TypedRun& run) {
  Section s;
  const Json* best = best_of(rows);
  if (best == nullptr) {
    s.add(labelled("answer", bold("no point fits or is likely to (80 % or more)")));
    s.add(labelled("next", "orrery search " + typed_with(run)));
    return s;
  }
  std::vector<Setting> settings;
  std::vector<std::string> words;
  for (const std::string& path : paths_of(sweep)) {
    settings.push_back({path, bare_text((*best)[path])});
    words.push_back(last_part(path) + " " + settings.back().value);
  }
  s.add(labelled("answer", bold("most tokens/s of what fits: " + joined(words, ", ")) + ": " +
                               grouped((*best)[kTokens].get<double>()) + " tokens/s"));
  s.add(labelled("next", "orrery estimate " + typed_with(run, settings)));
  return s;
}

}  // namespace

AnswerDocument sweep_document(const SweepPlan& sweep, const std::vector<Json>& rows,
                              const TypedRun& run) {
  Table table = point_table(sweep, rows);
  AnswerDocument document{"Sweep of " + counted(sweep.points, "point"), {}, table};
  Section points;
  points.add(std::move(table));
  document.add(std::move(points));
  document.add(ending(sweep, rows, run));
  return document;
}

}  // namespace orrery
