// SPDX-License-Identifier: Apache-2.0
//
// CSV of measurements. Lines that begin with # are comments, of which `# source:`, `# published:`
// (a source too, of numbers not measured here), `# device:`, `# node:`, `# driver:`, `# library:`
// and `# date:` say what their names do.
#include <algorithm>
#include <array>
#include <set>

#include "core/units.h"
#include "exchange/log_lines.h"
#include "exchange/measurements/fields.h"
#include "exchange/measurements/readers.h"

namespace orrery::detail {
namespace {

struct Remark {
  std::string_view name;
  std::string MeasurementSet::*field;
};

constexpr std::array<Remark, 7> kRemarks = {{{"source", &MeasurementSet::source},
                                             {"published", &MeasurementSet::source},
                                             {"device", &MeasurementSet::device},
                                             {"node", &MeasurementSet::node},
                                             {"driver", &MeasurementSet::driver},
                                             {"library", &MeasurementSet::library},
                                             {"date", &MeasurementSet::date}}};

bool is_comment(std::string_view line) { return !line.empty() && line.front() == '#'; }

void read_remark(std::string_view line, MeasurementSet& set) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const auto name = fields_of(line.substr(1, colon - 1), ',').front();
  for (const Remark& r : kRemarks) {
    if (name != r.name) continue;
    std::string_view text = line.substr(colon + 1);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    set.*r.field = std::string(text);
    if (name == "published") set.measured_here = false;
  }
}

Json cell(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto x = parse_number(text)) return *x;
  return std::string(text);
}

void check_header(const LogPlace& place, const std::vector<std::string_view>& names) {
  std::set<std::string_view> seen;
  for (const std::string_view name : names) {
    if (name.empty()) fail(place, "a column without a name", "a name for each column");
    if (!seen.insert(name).second) {
      fail(place, "the column \"" + std::string(name) + "\" twice", "each column once");
    }
  }
}

Measurement read_row(const LogPlace& place, const std::vector<std::string_view>& names,
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
    const LogPlace place{file, i + 1};
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
