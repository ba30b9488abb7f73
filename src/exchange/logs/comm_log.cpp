// SPDX-License-Identifier: Apache-2.0
#include "exchange/logs/comm_log.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "exchange/collective_names.h"
#include "exchange/logs/comm_log_forms.h"

namespace orrery {
namespace {

// Beginnings of what is known and has no prediction.
constexpr std::array<std::string_view, 9> kUnpredicted = {
    "recv",    "irecv",  "barrier", "monitoredbarrier", "logsummarybarrier", "gather",
    "scatter", "reduce", "wait"};

// Suggested where a name is misspelt.
const std::vector<std::string>& spelled_operations() {
  static const std::vector<std::string> names = {
      "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "send",
      "recv",       "barrier",    "gather",         "scatter",    "reduce"};
  return names;
}

// Rows of one operation and size, of two groups or in two spellings, are one: their counts add.
CommLog merged(CommLog log) {
  std::vector<LoggedMessages> rows;
  for (LoggedMessages& row : log.rows) {
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const LoggedMessages& r) {
      return row.collective && r.collective == row.collective && r.size == row.size;
    });
    if (same == rows.end()) {
      rows.push_back(std::move(row));
      continue;
    }
    const Seconds sum =
        same->each * static_cast<double>(same->count) + row.each * static_cast<double>(row.count);
    same->count += row.count;
    same->each = sum / static_cast<double>(same->count);
  }
  log.rows = std::move(rows);
  return log;
}

}  // namespace

namespace detail {

std::optional<Collective> known_operation(const LinePlace& place, const std::string& operation) {
  const std::optional<Collective> c = collective_named(operation);
  if (c) return c;
  const std::string name = plain_name(operation);
  for (const std::string_view begin : kUnpredicted) {
    if (begins_with(name, begin)) return {};
  }
  throw InputError(place.file, "line " + std::to_string(place.line),
                   "the unknown operation \"" + operation + "\"",
                   alternatives(spelled_operations()),
                   nearest_name(operation, spelled_operations()));
}

}  // namespace detail

CommLog read_comm_log(std::string_view text, const std::string& file) {
  const std::vector<std::string_view> lines = detail::lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (detail::begins_with(detail::trimmed(lines[i]), "Comm. Op")) {
      return merged(detail::read_deepspeed_log(lines, i, file));
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = detail::trimmed(lines[i]);
    if (line.empty() || line.front() == '#') continue;
    return merged(detail::read_csv_log(lines, i, file));
  }
  detail::fail({file, 1}, "no log",
               "a summary of DeepSpeed's communication logger, or CSV of operation,bytes,count,us");
}

}  // namespace orrery
