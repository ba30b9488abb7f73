// SPDX-License-Identifier: Apache-2.0
#include "explore/sweep.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/keys.h"
#include "core/units.h"
#include "explore/axis_values.h"
#include "explore/search_keys.h"

namespace orrery {
namespace {

constexpr std::size_t kMostValues = 1'000'000;
constexpr std::int64_t kMostPoints = 1'000'000'000'000;

constexpr Form kNumber = form::number(-kLargestValue, kLargestValue, "");
constexpr auto kRangeRows = keys<ValueRange>(
    fact<&ValueRange::from>("from", kNumber, kRequired, "the first value"),
    fact<&ValueRange::to>("to", kNumber, kRequired, "no value is above"),
    fact<&ValueRange::step>("step", form::number(1e-12, kLargestValue, ""), kNothing,
                            "from one value to the next"),
    fact<&ValueRange::factor>("factor", form::number(1 + 1e-6, kLargestValue, ""), kNothing,
                              "in place of step: the next value over the one before"));
constexpr Keys<ValueRange> kRangeKeys{"axes", kRangeRows, {.in_words = true}};

ValueRange read_range(const Reader& r) {
  ValueRange range = read_keys(kRangeKeys, r);
  const auto& [from, to, step, factor, count] = range;
  if (step.has_value() == factor.has_value()) r.fail("a range", "from, to, and step or factor");
  if (to < from) r.fail("from " + shortest(from) + ", to " + shortest(to), "from up to to");
  if (factor && from <= 0) r.fail("from " + shortest(from), "from above 0 with a factor");
  range.count = count_between(range, kMostValues);
  if (count > kMostValues) r.fail("more than a million values", "fewer");
  return range;
}

SweepValues read_values(const Reader& r) {
  if (r.json().is_object()) return {{}, read_range(r)};
  if (!r.json().is_array() || r.json().empty()) {
    r.fail("a list of values, or {from, to} with step or factor");
  }
  return {r.json().get<std::vector<Json>>(), {}};
}

SweepAxis read_axis(const Reader& r, const std::string& path) { return {{path}, {read_values(r)}}; }

SweepAxis read_zip(Reader r) {
  r.must_be_object();
  SweepAxis axis;
  for (const std::string& path : r.keys()) {
    const Reader values = r.at(path);
    axis.paths.push_back(path);
    axis.values.push_back(read_values(values));
    if (axis.values.back().size() != axis.size()) {
      values.fail(std::to_string(axis.values.back().size()) + " values",
                  std::to_string(axis.size()) + ", as many as the others of the zip");
    }
  }
  if (axis.paths.empty()) r.fail("at least one key");
  return axis;
}

void refuse_double_paths(const SweepPlan& sweep, const std::string& file) {
  std::vector<std::string> paths = paths_of(sweep);
  std::sort(paths.begin(), paths.end());
  const auto twice = std::adjacent_find(paths.begin(), paths.end());
  if (twice != paths.end()) throw InputError(file, "axes", *twice + " twice", "each key once");
}

bool is_inside(const std::string& path, const std::string& whole) {
  return path.size() > whole.size() && path.rfind(whole, 0) == 0 &&
         (path[whole.size()] == '.' || path[whole.size()] == '[');
}

// A row would show a value that its run does not have.
void refuse_overwritten(const SweepPlan& sweep, const std::string& file) {
  const std::vector<std::string> paths = paths_of(sweep);
  for (std::size_t late = 1; late < paths.size(); ++late) {
    for (std::size_t early = 0; early < late; ++early) {
      if (!is_inside(paths[early], paths[late])) continue;
      throw InputError(file, "axes", paths[late] + " after " + paths[early],
                       paths[late] + " first: it holds the other, and overwrites it");
    }
  }
}

// Rows of another answer would be equal.
void refuse_search_axes(const SweepPlan& sweep, const std::string& file) {
  if (sweep.answer == SweepAnswer::search) return;
  for (const std::string& path : paths_of(sweep)) {
    if (path != "search" && !is_inside(path, "search")) continue;
    throw InputError(file, "axes", path + " beside answer " + std::string(name_of(sweep.answer)),
                     "it beside answer search, which alone reads it");
  }
}

// A column would stand twice.
void refuse_double_columns(const SweepPlan& sweep, const std::string& file) {
  std::vector<std::string> columns = sweep.columns;
  std::sort(columns.begin(), columns.end());
  const auto twice = std::adjacent_find(columns.begin(), columns.end());
  if (twice != columns.end()) throw InputError(file, "columns", *twice + " twice", "each once");
}

void count_points(SweepPlan& sweep, const std::string& file) {
  for (const SweepAxis& a : sweep.axes) {
    const auto n = static_cast<std::int64_t>(a.size());
    if (sweep.points > kMostPoints / n) {
      throw InputError(file, "axes", "more than a million million points", "fewer");
    }
    sweep.points *= n;
  }
}

void read_run(const Reader& r, SweepPlan& out) {
  if (!r.json().is_string() && !r.json().is_object()) r.fail("a run: a name, path or object");
  out.run = r.json();
}

void read_axes(const Reader& r, SweepPlan& out) {
  r.must_be_object();
  Reader axes = r;
  for (const std::string& path : r.keys()) out.axes.push_back(read_axis(axes.at(path), path));
}

void read_zips(const Reader& r, SweepPlan& out) {
  for (const Reader& zip : r.items()) out.axes.push_back(read_zip(zip));
}

constexpr Form kAny = form::any("a value of the key");
constexpr Form kColumn = form::text("a metric of `orrery list metrics`");
constexpr Forms kValueForms = either(form::list(kAny, 1), form::object(kRangeKeys));
constexpr Form kValues = form::either(kValueForms);
constexpr Form kAxisMap = form::map(kValues);

constexpr auto kSweepRows = keys<SweepPlan>(
    elsewhere("name", form::any("text"), kNothing, Vary::never, "for you; not read"),
    fact<&SweepPlan::run>("run", form::document("run", &kRunFileDocument), kRequired,
                          "the run whose keys change")
        .only_read_by<read_run>(),
    fact<&SweepPlan::answer>("answer", form::one_of<SweepAnswer>(), otherwise("estimate"),
                             "what is asked at every point"),
    fact<&SweepPlan::axes>("axes", kAxisMap, kNothing,
                           "values by the path of a key; the last axis changes fastest")
        .only_read_by<read_axes>(),
    fact<&SweepPlan::axes>("zip", form::list(kAxisMap), kNothing,
                           "objects of such axes of equal length, whose keys change together")
        .only_read_by<read_zips>(),
    fact<&SweepPlan::columns>("columns", form::list(kColumn), otherwise("all"),
                              "what stands in a row"));
constexpr Keys<SweepPlan> kSweepKeys{"", kSweepRows};

}  // namespace

constinit const KeyTable kSweepDocument = kSweepKeys;

SweepPlan read_sweep(const Json& document, const std::string& file) {
  const Reader r(document, file);
  r.must_be_object();
  SweepPlan sweep = read_keys(kSweepKeys, r);
  if (sweep.axes.empty()) r.fail("no axes", "axes or zip");
  refuse_double_paths(sweep, file);
  refuse_overwritten(sweep, file);
  refuse_search_axes(sweep, file);
  refuse_double_columns(sweep, file);
  count_points(sweep, file);
  return sweep;
}

std::vector<SweepSetting> settings_of(const SweepPlan& sweep, std::int64_t point) {
  std::vector<SweepSetting> settings;
  for (auto axis = sweep.axes.rbegin(); axis != sweep.axes.rend(); ++axis) {
    const auto n = static_cast<std::int64_t>(axis->size());
    const auto at = static_cast<std::size_t>(point % n);
    point /= n;
    for (std::size_t i = axis->paths.size(); i-- > 0;) {
      settings.push_back({axis->paths[i], axis->values[i].value(at)});
    }
  }
  std::reverse(settings.begin(), settings.end());
  return settings;
}

std::vector<std::string> paths_of(const SweepPlan& sweep) {
  std::vector<std::string> paths;
  for (const SweepAxis& a : sweep.axes) paths.insert(paths.end(), a.paths.begin(), a.paths.end());
  return paths;
}

Shard read_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto index = parse_number(text.substr(0, slash));
  const auto count =
      slash == std::string::npos ? std::nullopt : parse_number(text.substr(slash + 1));
  const bool whole = index && count && *index == std::floor(*index) && *count == std::floor(*count);
  if (!whole || *index < 0 || *count < 1 || *count > 1e9 || *index >= *count) {
    throw InputError("--shard", "", "\"" + text + "\"",
                     "I/N, the I-th of N shards counted from 0, as in 3/16");
  }
  return {static_cast<std::int64_t>(*index), static_cast<std::int64_t>(*count)};
}

}  // namespace orrery
