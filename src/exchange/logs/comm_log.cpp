// SPDX-License-Identifier: Apache-2.0
//
// An operation stands alone on a line, its sizes below it, indented; or on the line of its first
// size. Anything else ends the table.
#include "exchange/logs/comm_log.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "exchange/collective_names.h"

namespace orrery {
namespace {

constexpr std::array<std::string_view, 4> kColumns = {"operation", "bytes", "count", "us"};
constexpr const char* kHeader = "a header with operation, bytes, count and us, each once";

using CsvColumns = std::array<std::size_t, kColumns.size()>;

CsvColumns columns_of(const LinePlace& place, const std::vector<std::string_view>& names) {
  CsvColumns columns{};
  for (std::size_t c = 0; c < kColumns.size(); ++c) {
    const auto found = std::find(names.begin(), names.end(), kColumns[c]);
    if (found == names.end()) {
      fail(place, "no column \"" + std::string(kColumns[c]) + "\"", kHeader);
    }
    columns[c] = static_cast<std::size_t>(found - names.begin());
  }
  if (names.size() != kColumns.size()) {
    fail(place, std::to_string(names.size()) + " columns", kHeader);
  }
  return columns;
}

constexpr std::size_t kNumbers = 5;  // count, total and mean latency, algbw, busbw

struct SizeUnit {
  std::string_view name;
  double bytes;
};
constexpr std::array<SizeUnit, 6> kUnits = {{{"B", 1},
                                             {"KB", 1024.0},
                                             {"MB", 1048576.0},
                                             {"GB", 1073741824.0},
                                             {"TB", 1099511627776.0},
                                             {"PB", 1125899906842624.0}}};

std::optional<double> bytes_of_unit(std::string_view name) {
  for (const SizeUnit& u : kUnits) {
    if (u.name == name) return u.bytes;
  }
  return {};
}

bool starts_with_digit(std::string_view word) {
  return !word.empty() && word[0] >= '0' && word[0] <= '9';
}

// Whether an operation's own line goes on with a size and its numbers: "678.86 MB 40 602.29 9.69
// 1468.06 1376.31". Another line of the training log does not.
bool goes_on_with_size(const std::vector<std::string_view>& words) {
  if (words.size() < 3 || !starts_with_digit(words[1])) return false;
  return words.size() == 3 + kNumbers || bytes_of_unit(words[2]).has_value();
}

LoggedMessages size_row(const LinePlace& place, const std::vector<std::string_view>& words,
                        std::size_t at) {
  if (words.size() - at != 2 + kNumbers) {
    fail(place, std::to_string(words.size() - at) + " fields",
         "size, its unit, count, total and mean latency in ms, tput and busbw in Gbps");
  }
  const std::optional<double> unit = bytes_of_unit(words[at + 1]);
  if (!unit) fail(place, "unit \"" + std::string(words[at + 1]) + "\"", "B, KB, MB, GB, TB or PB");
  LoggedMessages row;
  row.line = place.line;
  row.size = Bytes(positive(place, words[at], "size") * *unit);
  row.count = whole(place, words[at + 2], "count");
  const double total = positive(place, words[at + 3], "total latency");
  // The mean has two decimals and is 0.00 for the shortest; the total then says more.
  const std::optional<double> mean = parse_number(words[at + 4]);
  if (!mean || *mean < 0) {
    fail(place, "mean latency \"" + std::string(words[at + 4]) + "\"", "a number from 0");
  }
  constexpr double kRounded = 0.1;
  row.each = Seconds((*mean >= kRounded ? *mean : total / static_cast<double>(row.count)) * kMilli);
  return row;
}

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

void add_to(LoggedMessages& all, const LoggedMessages& row) {
  const Seconds sum =
      all.each * static_cast<double>(all.count) + row.each * static_cast<double>(row.count);
  all.count += row.count;
  all.each = sum / static_cast<double>(all.count);
}

// Rows of one operation and size, of two groups or in two spellings, are one: their counts add.
CommLog merged(CommLog log) {
  std::vector<LoggedMessages> rows;
  std::map<std::pair<Collective, double>, std::size_t> known;  // a log may have millions of rows
  for (LoggedMessages& row : log.rows) {
    if (row.collective) {
      const auto [at, is_new] = known.try_emplace({*row.collective, row.size.si()}, rows.size());
      if (!is_new) {
        add_to(rows[at->second], row);
        continue;
      }
    }
    rows.push_back(std::move(row));
  }
  log.rows = std::move(rows);
  return log;
}

struct Nearest {
  std::size_t row = 0;
  double distance = 0;  // |ln| of the ratio of sizes
  bool is_share = false;
};

double distance(Bytes a, Bytes b) { return std::abs(std::log(a / b)); }

bool may_be_share(const CommLog& log, Collective c) {
  return log.form == CommLogForm::deepspeed &&
         (c == Collective::all_gather || c == Collective::reduce_scatter);
}

std::optional<Nearest> nearest(const MessageClass& m, const CommLog& log, double tolerance) {
  std::optional<Nearest> best;
  const auto consider = [&](std::size_t row, Bytes size, bool is_share) {
    const double d = distance(size, log.rows[row].size);
    if (d <= std::log1p(tolerance) && (!best || d < best->distance)) best = {row, d, is_share};
  };
  for (std::size_t i = 0; i < log.rows.size(); ++i) {
    if (log.rows[i].collective != m.line.collective) continue;
    consider(i, m.message, false);
    if (may_be_share(log, m.line.collective)) {
      consider(i, m.message / static_cast<double>(m.line.ranks), true);
    }
  }
  return best;
}

void add(ComparedMessages& c, const MessageClass& m, std::size_t index, bool is_share) {
  c.predicted.push_back(index);
  c.is_share = is_share;
  const Seconds sum = c.each * static_cast<double>(c.count) + m.line.time;
  c.count += m.line.count;
  c.each = sum / static_cast<double>(c.count);
}

}  // namespace

CommLog read_csv_log(const std::vector<std::string_view>& lines, std::size_t header,
                     const std::string& file) {
  const CsvColumns columns = columns_of({file, header + 1}, fields_of(lines[header], ','));
  CommLog log;
  for (std::size_t i = header + 1; i < lines.size(); ++i) {
    const LinePlace place{file, i + 1};
    const std::vector<std::string_view> fields = fields_of(lines[i], ',');
    if (fields[0].substr(0, 1) == "#" || (fields.size() == 1 && fields[0].empty())) continue;
    if (fields.size() != kColumns.size()) {
      fail(place, std::to_string(fields.size()) + " fields", "4, as the header has");
    }
    LoggedMessages row;
    row.line = place.line;
    row.operation = fields[columns[0]];
    if (row.operation.empty()) fail(place, "no operation", "its name");
    row.collective = known_operation(place, row.operation);
    row.size = Bytes(positive(place, fields[columns[1]], "bytes"));
    row.count = whole(place, fields[columns[2]], "count");
    row.each = Seconds(positive(place, fields[columns[3]], "us") * kMicro);
    log.rows.push_back(row);
  }
  if (log.rows.empty()) fail({file, header + 1}, "a header alone", "at least one row");
  return log;
}

CommLog read_deepspeed_log(const std::vector<std::string_view>& lines, std::size_t header,
                           const std::string& file) {
  CommLog log;
  log.form = CommLogForm::deepspeed;
  std::string operation;
  for (std::size_t i = header + 1; i < lines.size(); ++i) {
    const LinePlace place{file, i + 1};
    const std::vector<std::string_view> words = words_of(lines[i]);
    if (words.empty()) break;
    std::size_t at = 0;
    if (!starts_with_digit(words[0])) {
      const bool alone = words.size() == 1 || words[1] == "|";  // debug mode adds the caller
      if (!alone && !goes_on_with_size(words)) break;
      operation = words[0];
      at = 1;
      if (alone) continue;
    }
    if (operation.empty()) fail(place, "a size", "the name of an operation first");
    // "0B": nothing was sent, as in a barrier.
    if (words[at].substr(0, 2) == "0B") continue;
    log.rows.push_back(size_row(place, words, at));
    log.rows.back().operation = operation;
    log.rows.back().collective = known_operation(place, operation);
  }
  if (log.rows.empty()) fail({file, header + 1}, "a table without rows", "sizes below operations");
  return log;
}

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

CommLog read_comm_log(std::string_view text, const std::string& file) {
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (begins_with(trimmed(lines[i]), "Comm. Op")) {
      return merged(read_deepspeed_log(lines, i, file));
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trimmed(lines[i]);
    if (line.empty() || line.front() == '#') continue;
    return merged(read_csv_log(lines, i, file));
  }
  fail({file, 1}, "no log",
       "a summary of DeepSpeed's communication logger, or CSV of operation,bytes,count,us");
}

CommComparison compare(const MessageLog& predicted, const CommLog& measured,
                       double size_tolerance) {
  CommComparison result;
  std::vector<ComparedMessages> rows(measured.rows.size());
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const std::optional<Nearest> found = nearest(predicted[i], measured, size_tolerance);
    if (found) {
      add(rows[found->row], predicted[i], i, found->is_share);
    } else {
      result.only_predicted.push_back(i);
    }
  }
  Seconds predicted_all{};
  Seconds measured_all{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ComparedMessages& c = rows[i];
    if (c.count == 0) {
      result.only_measured.push_back(i);
      continue;
    }
    const LoggedMessages& m = measured.rows[i];
    const auto count = static_cast<double>(m.count);
    c.measured = i;
    c.steps = count / static_cast<double>(c.count);
    c.error = c.each / m.each - 1;
    predicted_all += c.each * count;
    measured_all += m.each * count;
    result.matched.push_back(c);
  }
  if (!result.matched.empty()) result.error = predicted_all / measured_all - 1;
  return result;
}

}  // namespace orrery
