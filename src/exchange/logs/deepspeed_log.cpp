// SPDX-License-Identifier: Apache-2.0
//
// An operation stands alone on a line, its sizes below it, indented; or on the line of its first
// size. Anything else ends the table.
#include <array>
#include <optional>

#include "core/units.h"
#include "exchange/logs/comm_log_forms.h"

namespace orrery::detail {
namespace {

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
  constexpr double kMilli = 1e-3;
  row.each = Seconds((*mean >= kRounded ? *mean : total / static_cast<double>(row.count)) * kMilli);
  return row;
}

}  // namespace

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

}  // namespace orrery::detail
