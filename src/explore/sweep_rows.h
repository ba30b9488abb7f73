// SPDX-License-Identifier: Apache-2.0
//
// The rows of a sweep as text: the sweep and the point of each, the end of a file, and the join of
// several files.
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

struct SweepLines {
  std::string header;  // of CSV, with its line break; "" of JSON lines
  std::vector<SweepRowHead> heads;
  std::vector<std::string> lines;  // with their line breaks
  std::size_t whole = 0;           // bytes up to the last line break: what follows was cut off
};

SweepLines read_sweep_rows(const std::string& text, const std::string& file);

// The same line by line, for a file of any size.
class SweepRowReader {
 public:
  explicit SweepRowReader(std::string file) : file_(std::move(file)) {}

  // A whole line with its line break; of the header of CSV nothing.
  std::optional<SweepRowHead> read(const std::string& line);

  const std::string& header() const { return header_; }

  // Errors: InputError where a line read so far is not as it was written.
  void refuse_changed() const;

 private:
  std::string file_;
  std::string header_;
  bool csv_ = false;
  std::size_t lines_ = 0;
  std::size_t changed_ = 0;  // the first such line
};

// A hash of 64 bits as 16 hexadecimal digits (FNV-1a).
std::string fingerprint(const std::string& text);

// A row with its checksum and line break: of cells of CSV, or of a JSON object.
std::string row_line(const std::string& row, bool csv);

inline constexpr const char* kChecksum = "checksum";  // its column, the last one

// How the row begins.
std::string start_of_row(const SweepRowHead& head, bool csv);

// Whether `rest`, which has no line break, is a line that begins with `start` and was cut off.
bool is_cut_off(std::string_view rest, std::string_view start);

struct NamedSweepLines {
  std::string file;
  SweepLines rows;
};

// All rows in the order of their points. A row of another sweep, a doubled one, a missing one or a
// line cut off is an error.
std::string merge_rows(const std::vector<NamedSweepLines>& files);

}  // namespace orrery
