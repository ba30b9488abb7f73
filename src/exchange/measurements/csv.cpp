// SPDX-License-Identifier: Apache-2.0
//
// CSV of measurements. Lines that begin with # are comments; `# device: h100` and its like set the
// texts of exchange/measurements/heading.h, `# published: …` the source of numbers that were not
// measured here.
#include <algorithm>
#include <set>

#include "core/json.h"
#include "core/units.h"
#include "exchange/measurements/fields.h"
#include "exchange/measurements/heading.h"
#include "exchange/measurements/readers.h"
#include "exchange/text_lines.h"

namespace orrery::detail {
namespace {

bool is_comment(std::string_view line) { return !line.empty() && line.front() == '#'; }

void read_remark(std::string_view line, MeasurementSet& set) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view remark = trimmed(line.substr(1, colon - 1));
  const bool published = remark == "published";
  const std::string_view name = published ? "source" : remark;
  for (const HeadingText& text : kHeadingTexts) {
    if (name == text.name) set.*text.field = std::string(trimmed(line.substr(colon + 1)));
  }
  if (published) set.measured_here = false;
}

Json cell(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto x = parse_number(text)) return *x;
  return std::string(text);
}

void check_header(const LinePlace& place, const std::vector<std::string_view>& names) {
  std::set<std::string_view> seen;
  for (const std::string_view name : names) {
    if (name.empty()) fail(place, "a column without a name", "a name for each column");
    if (!seen.insert(name).second) {
      fail(place, "the column \"" + std::string(name) + "\" twice", "each column once");
    }
  }
}

Measurement read_row(const LinePlace& place, const std::vector<std::string_view>& names,
                     std::string_view line) {
  const std::vector<std::string_view> fields = fields_of(line, ',');
  if (fields.size() != names.size()) {
    fail(place, std::to_string(fields.size()) + " fields",
         std::to_string(names.size()) + ", as the header has");
  }
  Json row = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!fields[i].empty()) row[std::string(names[i])] = cell(fields[i]);
  }
  return read_measured(Reader(row, place.file, "line " + std::to_string(place.line)));
}

}  // namespace

bool is_csv(std::string_view text) {
  for (const std::string_view line : lines_of(text)) {
    if (line.empty() || is_comment(line)) continue;
    const auto names = fields_of(line, ',');
    return names.size() > 1 && std::any_of(names.begin(), names.end(), [](std::string_view n) {
             return n == "us" || n == "tflops" || n == "busbw";
           });
  }
  return false;
}

MeasurementSet read_csv_measurements(std::string_view text, const std::string& file,
                                     const MeasurementHints& /*hints*/) {
  MeasurementSet set;
  std::vector<std::string_view> names;
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const LinePlace place{file, i + 1};
    if (lines[i].empty()) continue;
    if (is_comment(lines[i])) {
      read_remark(lines[i], set);
    } else if (names.empty()) {
      names = fields_of(lines[i], ',');
      check_header(place, names);
    } else {
      set.points.push_back(read_row(place, names, lines[i]));
    }
  }
  return set;
}

}  // namespace orrery::detail
