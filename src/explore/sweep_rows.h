// SPDX-License-Identifier: Apache-2.0
//
// The rows of a sweep as text: the sweep and the point of each, and the end of a file.
//
// A row begins with the fingerprint of its sweep, the number of points, and its own point: in JSON
// lines as the first three keys, in CSV as the first three columns below a header. It ends with a
// checksum of what stands before it, so that a row which somebody changed is no result. Errors:
// InputError that names the file and the line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {

struct SweepRowHead {
  std::string sweep;
  std::int64_t points = 0;
  std::int64_t point = 0;
};

inline constexpr std::size_t kLongestRow = std::size_t{16} << 20;

// True if a row ends with its last line, which begins at `from`: a cell of CSV in quotes may hold
// line breaks. `is_open`: whether such a cell goes on; false where a row begins. Errors: InputError
// where the row is longer than kLongestRow.
bool ends_row(std::string_view row, std::size_t from, const std::string& file, bool& is_open);

// Reads a file of any size row by row.
class SweepRowReader {
 public:
  explicit SweepRowReader(std::string file, bool csv = false) : file_(std::move(file)), csv_(csv) {}

  // A whole row with its line break; of the header of CSV nothing.
  std::optional<SweepRowHead> read(const std::string& row);

  // The head of a row that was read before, below the header.
  SweepRowHead read_head_of(const std::string& row) const;

  std::size_t lines() const { return lines_; }

  const std::string& header() const { return header_; }

  // Errors: InputError where a row read so far is not as it was written.
  void refuse_changed() const;

 private:
  std::string file_;
  bool csv_;
  std::string header_;
  std::size_t lines_ = 0;
  std::size_t begin_ = 0;      // the first line of the last row
  std::size_t changed_ = 0;    // that of the first such row
  bool has_checksums_ = true;  // there, or in the header above it
};

// A hash of 64 bits as 16 hexadecimal digits (FNV-1a).
std::string fingerprint(const std::string& text);

// A row with its checksum and line break: of cells of CSV, or of a JSON object.
std::string row_line(const std::string& row, bool csv);

inline constexpr const char* kChecksum = "checksum";  // its column, the last one

// How the row begins.
std::string start_of_row(const SweepRowHead& head, bool csv);

// True if `rest` is a row that begins with `start` and was cut off. Where it has line breaks, the
// rows of the same sweep that follow one show that it was changed instead.
bool is_cut_off(std::string_view rest, std::string_view start);

}  // namespace orrery
