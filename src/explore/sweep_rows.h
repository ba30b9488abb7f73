// SPDX-License-Identifier: Apache-2.0
//
// The rows of a sweep as text: the sweep and the point of each, the end of a file, and the join of
// several files.
//
// A row begins with the fingerprint of its sweep, the number of points, and its own point: in JSON
// lines as the first three keys, in CSV as the first three columns below a header. Errors:
// InputError that names the file and the line.
#pragma once

#include <cstdint>
#include <string>
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

struct NamedSweepLines {
  std::string file;
  SweepLines rows;
};

// All rows in the order of their points. A row of another sweep, a doubled one, a missing one or a
// line cut off is an error.
std::string merge_rows(const std::vector<NamedSweepLines>& files);

}  // namespace orrery
