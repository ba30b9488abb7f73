// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "exchange/logs/comm_log_forms.h"

namespace orrery::detail {
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

}  // namespace

CommLog read_csv_log(const std::vector<std::string_view>& lines, std::size_t header,
                     const std::string& file) {
  const CsvColumns columns = columns_of({file, header + 1}, fields_of(lines[header], ','));
  constexpr double kMicro = 1e-6;
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

}  // namespace orrery::detail
