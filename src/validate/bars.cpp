// SPDX-License-Identifier: Apache-2.0
#include "validate/bars.h"

#include <algorithm>

#include "core/error.h"
#include "core/json_reader.h"
#include "validate/cross.h"

namespace orrery {
namespace {

BarRange read_range(const Reader& r, BarWhat what) {
  if (what != BarWhat::coverage) return {0, r.number(0, 10)};
  const std::vector<Reader> ends = r.items();
  if (ends.size() != 2) r.fail("two fractions, the least and the most");
  const double lowest = ends[0].number(0, 1);
  return {lowest, ends[1].number(lowest, 1)};
}

BarValue read_bar_value(Reader r) {
  BarValue v;
  v.of = r.at("of").choice<BarReport>();
  v.scope = r.at("scope").text();
  v.what = r.at("what").choice<BarWhat>();
  v.reach = read_range(r.at("reach"), v.what);
  v.aim = read_range(r.at("aim"), v.what);
  r.reject_unknown();
  return v;
}

std::vector<std::string> read_prose(Reader& r, const char* key) {
  std::vector<std::string> words;
  const std::optional<Reader> found = r.find(key);
  if (!found) return words;
  for (const Reader& item : found->items()) words.push_back(item.text());
  return words;
}

Bar read_bar(Reader r) {
  Bar b;
  b.name = r.at("name").text();
  b.command = r.at("command").text();
  for (const Reader& item : r.at("values").items()) b.values.push_back(read_bar_value(item));
  if (b.values.empty()) r.at("values").fail("at least one value");
  b.left = read_prose(r, "left");
  b.tried = read_prose(r, "tried");
  r.reject_unknown();
  return b;
}

double statistic(const Summary& s, BarWhat what) {
  switch (what) {
    case BarWhat::median:
      return s.error.median;
    case BarWhat::p90:
      return s.error.p90;
    case BarWhat::mean:
      return s.error.mean;
    case BarWhat::form_median:
      return s.one_factor.median;
    case BarWhat::form_p90:
      return s.one_factor.p90;
    case BarWhat::form_mean:
      return s.one_factor.mean;
    case BarWhat::coverage:
    case BarWhat::regret:
      break;
  }
  return s.in_interval;
}

std::optional<double> regret_of(const ValidationReport& report, const std::string& source) {
  std::optional<double> most;
  for (const Sweep& s : report.sweeps) {
    if (s.source == source) most = std::max(most.value_or(0), s.regret);
  }
  return most;
}

const ValidationReport& report_for(const BarValue& v, const BarReports& reports) {
  return v.of == BarReport::left_out ? reports.left_out : reports.shipped;
}

std::vector<std::string> scopes_of(const BarValue& v, const BarReports& reports) {
  const ValidationReport& report = report_for(v, reports);
  std::vector<std::string> names;
  if (v.what == BarWhat::regret) {
    for (const Sweep& s : report.sweeps) names.push_back(s.source);
    return names;
  }
  names = scopes_of_any_rows();
  names.push_back(kThreeObservedScope);
  for (const Summary& s : report.summaries) names.push_back(s.scope);
  return names;
}

bool within(const BarRange& range, double value) {
  return value >= range.lowest && value <= range.highest;
}

}  // namespace

std::vector<Bar> read_bars(std::string_view text, const std::string& file) {
  const Json document = parse_json(text, file);
  std::vector<Bar> bars;
  for (const Reader& r : Reader(document, file).items()) bars.push_back(read_bar(r));
  return bars;
}

void check_scopes(const std::vector<Bar>& bars, const BarReports& reports,
                  const std::string& file) {
  for (std::size_t i = 0; i < bars.size(); ++i) {
    for (std::size_t j = 0; j < bars[i].values.size(); ++j) {
      const BarValue& v = bars[i].values[j];
      const std::vector<std::string> known = scopes_of(v, reports);
      if (std::find(known.begin(), known.end(), v.scope) != known.end()) continue;
      const std::string path =
          "[" + std::to_string(i) + "].values[" + std::to_string(j) + "].scope";
      throw InputError(
          file, path, "\"" + v.scope + "\"",
          v.what == BarWhat::regret ? "a source with sweeps" : "a scope of `orrery validate`",
          nearest_name(v.scope, known));
    }
  }
}

std::optional<double> strictest_reach(const std::vector<Bar>& bars, BarReport of,
                                      std::string_view scope, BarWhat what) {
  std::optional<double> least;
  for (const Bar& b : bars) {
    for (const BarValue& v : b.values) {
      if (v.of != of || v.scope != scope || v.what != what) continue;
      least = std::min(least.value_or(v.reach.highest), v.reach.highest);
    }
  }
  return least;
}

std::optional<double> value_of(const BarValue& v, const BarReports& reports) {
  const ValidationReport& report = report_for(v, reports);
  if (v.what == BarWhat::regret) return regret_of(report, v.scope);
  for (const Summary& s : report.summaries) {
    if (s.scope == v.scope && s.error.count > 0) return statistic(s, v.what);
  }
  return {};
}

Reached reached(const Bar& bar, const BarReports& reports) {
  Reached least = Reached::unknown;
  for (const BarValue& v : bar.values) {
    const std::optional<double> value = value_of(v, reports);
    if (!value) continue;
    const Reached one = within(v.aim, *value)     ? Reached::aim
                        : within(v.reach, *value) ? Reached::reach
                                                  : Reached::missed;
    least = least == Reached::unknown ? one : std::min(least, one);
  }
  return least;
}

}  // namespace orrery
