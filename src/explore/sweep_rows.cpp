// SPDX-License-Identifier: Apache-2.0
#include "explore/sweep_rows.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/units.h"

namespace orrery {
namespace {

constexpr const char* kAllowed = "rows of `orrery sweep`, whole and unchanged";
constexpr const char* kCsvHead = "sweep,points,point,";
constexpr const char* kJsonHead = "{\"sweep\":\"";

[[noreturn]] void refuse(const std::string& file, std::size_t line, const std::string& found) {
  throw InputError(file, "line " + std::to_string(line), found, kAllowed);
}

// Takes `text` off the front.
bool take(std::string_view& rest, std::string_view text) {
  if (rest.substr(0, text.size()) != text) return false;
  rest.remove_prefix(text.size());
  return true;
}

bool take_until(std::string_view& rest, char end, std::string& out) {
  const std::size_t at = rest.find(end);
  if (at == std::string_view::npos) return false;
  out = std::string(rest.substr(0, at));
  rest.remove_prefix(at + 1);
  return true;
}

bool take_count(std::string_view& rest, char end, std::int64_t& out) {
  std::string digits;
  if (!take_until(rest, end, digits) || digits.empty() || digits.size() > 15) return false;
  if (digits.find_first_not_of("0123456789") != std::string::npos) return false;
  out = std::stoll(digits);
  return true;
}

bool read_head(std::string_view line, bool csv, SweepRowHead& head) {
  if (csv) {
    return take_until(line, ',', head.sweep) && take_count(line, ',', head.points) &&
           take_count(line, ',', head.point);
  }
  return take(line, kJsonHead) && take_until(line, '"', head.sweep) && take(line, ",\"points\":") &&
         take_count(line, ',', head.points) && take(line, "\"point\":") &&
         take_count(line, ',', head.point);
}

std::string mark_of_checksum(bool csv) {
  return csv ? "," : std::string(",\"") + kChecksum + "\":\"";
}

bool is_as_written(const std::string& line, bool csv) {
  const std::size_t at = line.rfind(mark_of_checksum(csv));
  if (at == std::string::npos) return false;
  return line == row_line(line.substr(0, at) + (csv ? "" : "}"), csv);
}

}  // namespace

std::string fingerprint(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  std::string digits(16, '0');
  for (std::size_t i = digits.size(); i-- > 0; hash >>= 4)
    digits[i] = "0123456789abcdef"[hash & 15];
  return digits;
}

std::string row_line(const std::string& row, bool csv) {
  if (csv) return row + "," + fingerprint(row) + "\n";
  const std::string open = row.substr(0, row.size() - 1);
  return open + ",\"" + kChecksum + "\":\"" + fingerprint(open) + "\"}\n";
}

bool ends_row(std::string_view row, std::size_t from, const std::string& file, bool& is_open) {
  if (row.size() > kLongestRow) {
    throw InputError(file, "", "a row of more than 16 MiB", kAllowed);
  }
  const bool is_csv = row[0] != '{';
  const auto quotes = std::count(row.begin() + static_cast<std::ptrdiff_t>(from), row.end(), '"');
  if (is_csv && quotes % 2 != 0) is_open = !is_open;
  return !is_open;
}

void SweepRowReader::refuse_changed() const {
  if (changed_ == 0) return;
  refuse(file_, changed_,
         has_checksums_ ? "a row that is not as it was written"
                        : "a row without a checksum, as Orrery 0.1.0 wrote it");
}

std::optional<SweepRowHead> SweepRowReader::read(const std::string& row) {
  begin_ = lines_ + 1;
  lines_ += static_cast<std::size_t>(std::count(row.begin(), row.end(), '\n'));
  if (begin_ == 1) csv_ = row[0] != '{';
  if (csv_ && begin_ == 1) {
    if (row.rfind(kCsvHead, 0) != 0) refuse(file_, begin_, "no header of a sweep");
    header_ = row;
    return {};
  }
  const SweepRowHead head = read_head_of(row);
  if (changed_ == 0 && !is_as_written(row, csv_)) {
    changed_ = begin_;
    const std::string& named = csv_ ? header_ : row;
    has_checksums_ = named.find(kChecksum) != std::string::npos;
  }
  return head;
}

SweepRowHead SweepRowReader::read_head_of(const std::string& row) const {
  SweepRowHead head;
  if (!read_head(row, csv_, head)) refuse(file_, begin_, "no row of a sweep");
  return head;
}

std::string start_of_row(const SweepRowHead& head, bool csv) {
  const std::string points = std::to_string(head.points);
  const std::string point = std::to_string(head.point);
  if (csv) return head.sweep + "," + points + "," + point + ",";
  return kJsonHead + head.sweep + "\",\"points\":" + points + ",\"point\":" + point + ",";
}

bool is_cut_off(std::string_view rest, std::string_view start) {
  const std::size_t both = std::min(rest.size(), start.size());
  const std::string next = "\n" + std::string(start.substr(0, start.find(',') + 1));
  return rest.substr(0, both) == start.substr(0, both) && rest.find(next) == std::string::npos;
}

}  // namespace orrery
