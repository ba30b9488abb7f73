// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "hardware/calibration.h"
#include "hardware/node_keys.h"
#include "hardware/noise.h"
#include "hardware/tier_reader.h"

namespace orrery {
namespace {

constexpr std::array<std::string_view, 2> kMeasured = {"fitted on published runs",
                                                       "measured on this machine"};
constexpr double kMostSeconds = 1e6;
constexpr double kMostWork = 1e24;
constexpr std::int64_t kMostPoints = 1'000'000;

struct Point {
  double work = 0;
  TimedWork timed;
};

Point read_point(Reader r, std::string& what) {
  Point p;
  what = r.at("what").text();
  const bool counts_bytes = r.has("bytes");
  p.work = r.at(counts_bytes ? "bytes" : "flops").number(1, kMostWork);
  p.timed.time = Seconds(r.at("us").number(1e-6, kMostSeconds * 1e6) * 1e-6);
  if (auto spread = r.find("spread")) p.timed.spread = spread->number(0, 10);
  r.reject_unknown();
  if (!counts_bytes) what = "";  // equal FLOPs take what their shapes take
  return p;
}

void check_rising(const Reader& r, const Point& before, const Point& p) {
  const Point& less = before.work < p.work ? before : p;
  const Point& more = before.work < p.work ? p : before;
  if (less.work == more.work || !falls_beyond_noise(less.timed, more.timed)) return;
  r.fail("less time for " + brief(Json(more.work)) + " bytes than for " + brief(Json(less.work)),
         "times that do not fall with size, but for noise");
}

// A value that nothing was measured for is a run's own to set.
void check_measured(const Reader& list) {
  if (list.items().empty()) {
    list.fail("nothing measured",
              "the measurements it rests on; a value by hand goes into the run's `cluster`");
  }
  std::map<std::string, std::vector<Point>> curves;
  for (const Reader& entry : list.items()) {
    std::string what;
    const Point p = read_point(entry, what);
    if (what.empty()) continue;
    std::vector<Point>& curve = curves[what];
    for (const Point& before : curve) check_rising(entry, before, p);
    curve.push_back(p);
  }
}

std::map<std::string, FitQuality> read_fit(Reader r) {
  std::map<std::string, FitQuality> fit;
  if (r.keys().empty()) r.fail("no fit", "points, median and held_out of each kind of measurement");
  for (const std::string& kind : r.keys()) {
    Reader one = r.at(kind);
    FitQuality q;
    q.points = one.at("points").integer(1, kMostPoints);
    q.median = one.at("median").number(0, 1e6);
    q.held_out = one.at("held_out").number(0, 1e6);
    one.reject_unknown();
    fit[kind] = q;
  }
  return fit;
}

// The constants that a fit of times can determine: a device's efficiencies and host link, a tier's
// shares and times; not the machine itself.
constexpr std::array<std::string_view, 2> kPartsOfDevice = {kEfficiencyKeys.path,
                                                            kHostLinkKeys.path};

std::vector<std::string> constants_of_tier() {
  std::vector<std::string> names;
  for (const Key& k : kTierRows.rows) {
    if (k.name.ends_with("efficiency") || is_time(k)) names.emplace_back(k.name);
  }
  return names;
}

bool is_constant(const std::vector<std::string>& keys) {
  const auto is_in = [](const auto& names, const std::string& key) {
    return std::find(names.begin(), names.end(), key) != names.end();
  };
  if (keys.front() == "device") return keys.size() > 2 && is_in(kPartsOfDevice, keys[1]);
  return keys.size() == 3 && is_in(constants_of_tier(), keys[2]);
}

bool names_a_time(std::string_view name) {
  const auto is_one = [&](const Key& k) { return k.name == name && is_time(k); };
  const auto has_one = [&](const auto& rows) {
    return std::any_of(rows.rows.begin(), rows.rows.end(), is_one);
  };
  return has_one(kTierRows) || has_one(kHostLinkRows) || has_one(kEfficiencyRows);
}

void check_time(Reader r, const ChangedValue& leaf) {
  if (!names_a_time(leaf.keys.back())) return;
  for (const std::string& key : leaf.keys) r = r.at(key);
  check_short(r);
}

void read_changes(Reader r, Calibration& c) {
  c.changes = r.json();
  for (const char* key : {"device", "tiers"}) {
    if (const auto part = r.find(key)) part->must_be_object();
  }
  r.reject_unknown();
  const std::vector<ChangedValue> leaves = leaves_of(*c.changes);
  if (leaves.empty()) r.fail("no change", "at least one value of `device` or `tiers`");
  for (const ChangedValue& leaf : leaves) {
    if (is_constant(leaf.keys)) {
      check_time(r, leaf);
      continue;
    }
    r.fail(
        "a change of " + path_of(leaf.keys),
        "device.efficiency, device.host_link, and of a tier " + alternatives(constants_of_tier()));
  }
}

std::string read_provenance(Reader r) {
  std::string date;
  for (const char* key : {"library", "driver", "clocks", "hardware"}) {
    if (const auto text = r.find(key)) static_cast<void>(text->text());
  }
  if (const auto text = r.find("date")) date = text->text();
  const Reader files = r.at("files");
  if (files.items().empty()) files.fail("no file", "the files of measurements, one at least");
  for (Reader& file : files.items()) {
    file.at("file").text();
    file.at("points").integer(1, kMostPoints);
    if (const auto source = file.find("source")) static_cast<void>(source->text());
    file.reject_unknown();
  }
  r.reject_unknown();
  return date;
}

void check_spread(Reader r, const Calibration& c) {
  const std::vector<std::string> paths = changed_paths(c);
  const std::set<std::string> changed(paths.begin(), paths.end());
  for (const std::string& path : r.keys()) {
    r.at(path).number(0, 100);
    if (changed.count(path) == 0)
      r.at(path).fail("the path " + path, "a value that `changes` names");
  }
}

}  // namespace

Calibration read_calibration(Reader r) {
  r.must_be_object();
  Calibration c;
  c.file = r.file();
  c.name = r.at("name").text();
  if (c.name.empty()) r.at("name").fail("a name");
  c.device = r.at("device").text();
  if (auto node = r.find("node")) c.node = node->text();
  c.rests_on = static_cast<RestsOn>(1 + r.at("rests_on").choice(kMeasured));
  read_changes(r.at("changes"), c);
  if (c.changes->contains("tiers") && c.node.empty()) r.at("node");  // says what is missing
  check_spread(r.at("spread"), c);
  c.fit = read_fit(r.at("fit"));
  check_measured(r.at("measured"));
  c.date = read_provenance(r.at("provenance"));
  r.at("source").text();
  r.reject_unknown();
  return c;
}

}  // namespace orrery
