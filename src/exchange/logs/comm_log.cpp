// SPDX-License-Identifier: Apache-2.0
#include "exchange/logs/comm_log.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "core/error.h"
#include "core/units.h"
#include "exchange/log_lines.h"

namespace orrery {
namespace {

struct Spelling {
  std::string_view begin;
  Collective collective;
};

// Beginnings of names, in lower case without separators.
constexpr std::array<Spelling, 9> kSpellings = {{{"allreduce", Collective::all_reduce},
                                                 {"inferenceallreduce", Collective::all_reduce},
                                                 {"allgather", Collective::all_gather},
                                                 {"reducescatter", Collective::reduce_scatter},
                                                 {"alltoall", Collective::all_to_all},
                                                 {"broadcast", Collective::broadcast},
                                                 {"send", Collective::point_to_point},
                                                 {"isend", Collective::point_to_point},
                                                 {"pointtopoint", Collective::point_to_point}}};

// Beginnings of what is known and has no prediction.
constexpr std::array<std::string_view, 9> kUnpredicted = {
    "recv",    "irecv",  "barrier", "monitoredbarrier", "logsummarybarrier", "gather",
    "scatter", "reduce", "wait"};

// Written out, for who misspells them.
const std::vector<std::string>& spelled_operations() {
  static const std::vector<std::string> names = {
      "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "send",
      "recv",       "barrier",    "gather",         "scatter",    "reduce"};
  return names;
}

bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? trimmed(text.substr(1, text.size() - 2)) : text;
}

bool begins_with(std::string_view text, std::string_view begin) {
  return text.substr(0, begin.size()) == begin;
}

// In small letters without separators.
std::string plain_name(std::string_view operation) {
  std::string name;
  for (const char c : operation) {
    if (c == '|' || c == '[') break;  // DeepSpeed's debug mode adds the caller
    if (c == '_' || c == '-' || c == ' ') continue;
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
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

std::optional<Collective> known_operation(const LogPlace& place, const std::string& operation) {
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

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (at < line.size()) {
    while (at < line.size() && is_space(line[at])) ++at;
    const std::size_t begin = at;
    while (at < line.size() && !is_space(line[at])) ++at;
    if (at > begin) words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t end = line.find(separator);
    fields.push_back(unquoted(trimmed(line.substr(0, end))));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

void fail(const LogPlace& place, const std::string& found, const std::string& allowed) {
  throw InputError(place.file, "line " + std::to_string(place.line), found, allowed);
}

double positive(const LogPlace& place, std::string_view text, const std::string& column) {
  constexpr double kLeast = 1e-12;
  constexpr double kMost = 1e18;
  const std::optional<double> x = parse_number(text);
  if (!x || *x < kLeast || *x > kMost) {
    fail(place, column + " \"" + std::string(text) + "\"", "a number above 0, at most 1e18");
  }
  return *x;
}

std::int64_t whole(const LogPlace& place, std::string_view text, const std::string& column) {
  constexpr double kMost = 1e15;
  const double x = positive(place, text, column);
  if (x != std::floor(x) || x > kMost) {
    fail(place, column + " \"" + std::string(text) + "\"", "a whole number from 1");
  }
  return static_cast<std::int64_t>(x);
}

}  // namespace detail

std::optional<Collective> collective_named(std::string_view operation) {
  const std::string name = plain_name(operation);
  for (const Spelling& s : kSpellings) {
    if (begins_with(name, s.begin)) return s.collective;
  }
  return {};
}

CommLog read_comm_log(std::string_view text, const std::string& file) {
  const std::vector<std::string_view> lines = detail::lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (begins_with(trimmed(lines[i]), "Comm. Op")) {
      return merged(detail::read_deepspeed_log(lines, i, file));
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trimmed(lines[i]);
    if (line.empty() || line.front() == '#') continue;
    return merged(detail::read_csv_log(lines, i, file));
  }
  detail::fail({file, 1}, "no log",
               "a summary of DeepSpeed's communication logger, or CSV of operation,bytes,count,us");
}

}  // namespace orrery
