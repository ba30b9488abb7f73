// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"

#include "core/json_reader.h"
#include "exchange/measurements/fields.h"
#include "exchange/measurements/heading.h"
#include "exchange/measurements/readers.h"
#include "exchange/text_lines.h"

namespace orrery::detail {
namespace {

constexpr std::size_t kMostPoints = 1'000'000;

void read_left_out(Reader& r, MeasurementSet& set) {
  const auto list = r.find("left_out");
  if (!list) return;
  for (const Reader& line : list->items()) set.left_out.push_back(line.text());
}

std::vector<double> numbers(const Reader& r, double highest) {
  std::vector<double> out;
  for (const Reader& x : r.items()) out.push_back(x.number(1e-9, highest));
  return out;
}

// A published curve: sizes and times side by side.
void read_curve(Reader& r, MeasurementSet& set) {
  set.measured_here = false;
  MeasuredCollective collective = read_collective(r);
  const Reader times = r.at("time_us");
  const std::vector<double> mib = numbers(r.at("size_mib"), 1e9);
  const std::vector<double> us = numbers(times, 1e12);
  if (mib.size() != us.size()) {
    times.fail(std::to_string(us.size()) + " times", std::to_string(mib.size()) + ", one a size");
  }
  for (std::size_t i = 0; i < mib.size(); ++i) {
    collective.size = Bytes(mib[i] * 0x1p20);
    Measurement m;
    m.work = collective;
    m.timed.time = Seconds(us[i] * 1e-6);
    set.points.push_back(m);
  }
}

}  // namespace

void read_measurement_heading(Reader& r, MeasurementSet& set) {
  for (const HeadingText& text : kHeadingTexts) {
    if (const auto found = r.find(std::string(text.name))) set.*text.field = found->text();
  }
  if (const auto published = r.find("published")) set.measured_here = !published->boolean();
}

bool is_json(std::string_view text) { return first_character(text) == '{'; }

MeasurementSet read_json_measurements(std::string_view text, const std::string& file,
                                      const MeasurementHints& /*hints*/) {
  const Json document = parse_json(text, file);
  Reader r(document, file);
  MeasurementSet set;
  read_measurement_heading(r, set);
  read_left_out(r, set);
  if (r.has("time_us")) {
    read_curve(r, set);
  } else {
    const Reader list = r.at("measurements");
    if (list.json().size() > kMostPoints) list.fail("too many", "a million at most");
    for (const Reader& one : list.items()) set.points.push_back(read_measured(one));
  }
  r.reject_unknown();
  return set;
}

}  // namespace orrery::detail
