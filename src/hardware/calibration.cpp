// SPDX-License-Identifier: Apache-2.0
#include "hardware/calibration.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "core/error.h"
#include "hardware/cluster_merge.h"
#include "hardware/device_reader.h"
#include "hardware/node_fields.h"
#include "hardware/noise.h"
#include "hardware/provenance.h"

namespace orrery {
namespace {

constexpr std::array<std::string_view, 2> kMeasured = {"fitted on published runs",
                                                       "measured on this machine"};
constexpr double kMostSeconds = 1e6;
constexpr double kMostWork = 1e24;
constexpr std::int64_t kMostPoints = 1'000'000;

struct Leaf {
  std::vector<std::string> keys;
  Json value;
};

void add_leaves(const Json& value, std::vector<std::string> keys, std::vector<Leaf>& out) {
  if (!value.is_object()) {
    out.push_back({std::move(keys), value});
    return;
  }
  for (auto it = value.begin(); it != value.end(); ++it) {
    std::vector<std::string> below = keys;
    below.push_back(it.key());
    add_leaves(it.value(), std::move(below), out);
  }
}

std::vector<Leaf> leaves_of(const Json& changes) {
  std::vector<Leaf> out;
  add_leaves(changes, {}, out);
  return out;
}

std::string path_of(const std::vector<std::string>& keys) {
  std::string path;
  for (const std::string& key : keys) path += (path.empty() ? "" : ".") + key;
  return path;
}

// --- the document

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

void check_measured(const Reader& list) {
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

// What a fit of times can tell: constants of a device's efficiency and its host link, of a tier its
// share and its times; not what the machine is.
bool is_constant(const std::vector<std::string>& keys) {
  constexpr std::array<std::string_view, 2> kOfDevice = {"efficiency", "host_link"};
  constexpr std::array<std::string_view, 6> kOfTier = {
      "efficiency", "latency", "launch", "ramp", "reduction_efficiency", "reduction_latency"};
  const auto is_in = [](const auto& names, const std::string& key) {
    return std::find(names.begin(), names.end(), key) != names.end();
  };
  if (keys.front() == "device") return keys.size() > 2 && is_in(kOfDevice, keys[1]);
  return keys.size() == 3 && is_in(kOfTier, keys[2]);
}

void read_changes(Reader r, Calibration& c) {
  c.changes = r.json();
  for (const char* key : {"device", "tiers"}) {
    if (const auto part = r.find(key)) part->must_be_object();
  }
  r.reject_unknown();
  const std::vector<Leaf> leaves = leaves_of(c.changes);
  if (leaves.empty()) r.fail("no change", "at least one value of `device` or `tiers`");
  for (const Leaf& leaf : leaves) {
    if (is_constant(leaf.keys)) continue;
    r.fail("a change of " + path_of(leaf.keys),
           "device.efficiency, device.host_link, and of a tier efficiency, latency, launch, ramp, "
           "reduction_efficiency, reduction_latency");
  }
}

std::string read_provenance(Reader r) {
  std::string date;
  for (const char* key : {"library", "driver", "clocks", "hardware"}) {
    if (const auto text = r.find(key)) static_cast<void>(text->text());
  }
  if (const auto text = r.find("date")) date = text->text();
  for (Reader& file : r.at("files").items()) {
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

// --- over a node

std::string name_at(const Json& document) {
  const auto name = document.find("name");
  return name != document.end() && name->is_string() ? name->get<std::string>() : "custom";
}

// `value` at `keys` of an object, made where it is missing.
void put(Json& object, const std::vector<std::string>& keys, std::size_t from, const Json& value) {
  if (from == keys.size()) {
    object = value;
    return;
  }
  if (!object.is_object()) object = Json::object();
  put(object[keys[from]], keys, from + 1, value);
}

std::size_t tier_named(const Json& node, const std::string& name, const Reader& place) {
  std::vector<std::string> names;
  for (const Json& tier : node["tiers"]) {
    names.push_back(name_at(tier));
    if (names.back() == name) return names.size() - 1;
  }
  place.fail("the tier \"" + name + "\"", alternatives(names), nearest_name(name, names));
}

// Where a leaf lies in a node document: its own keys, and the path sources are listed by.
void put_in_node(Json& node, const Leaf& leaf, const Calibration& c, const std::string& source,
                 const Reader& place) {
  const bool device = leaf.keys.front() == "device";
  std::string path = path_of(leaf.keys);
  std::size_t tier = 0;
  if (!device) {
    tier = tier_named(node, leaf.keys[1], place);
    path = "tiers." + std::to_string(tier);
    for (std::size_t i = 2; i < leaf.keys.size(); ++i) path += "." + leaf.keys[i];
  }
  if (listed_source(node, path) == kSetByRun) return;  // the run's own word goes first
  if (device) {
    if (node["device"].is_string()) node["device"] = Json{{"base", node["device"]}};
    put(node["device"], leaf.keys, 1, leaf.value);
  } else {
    put(node["tiers"][tier], leaf.keys, 2, leaf.value);
  }
  if (!node["sources"].is_object()) node["sources"] = Json::object();
  node["sources"][path] =
      source + ": calibration " + c.name + (c.date.empty() ? "" : " of " + c.date);
}

// Reads the changed documents under the overlay's own name, so that what it breaks is its fault.
void check_values(const Json& node, const Calibration& c, const HardwareLookup& lookup) {
  Json device = merged_device(Reader(node["device"], c.file, "changes.device"), lookup);
  read_device(Reader(device, c.file, "changes.device"));
  Json fields = node;
  fields.erase("device");
  if (!fields.contains("tiers") || fields.contains("graph")) return;
  Reader r(fields, c.file, "changes");
  GraphFacts unused;
  read_node_fields(r, 0, unused);
}

void check_place(const Json& node, const Calibration& c, const Reader& given,
                 const HardwareLookup& lookup) {
  const std::string device =
      name_at(merged_device(Reader(node["device"], given.file(), given.path()), lookup));
  if (device != c.device) {
    given.fail("a calibration of the device " + c.device, "one of " + device + ", as this run has");
  }
  if (c.changes.contains("tiers") && name_at(node) != c.node) {
    given.fail("a calibration of the node " + c.node, "one of " + name_at(node));
  }
}

void refuse_twice(const Calibration& c, std::map<std::string, std::string>& owners,
                  const Reader& given) {
  for (const std::string& path : changed_paths(c)) {
    const auto [owner, is_new] = owners.emplace(path, c.name);
    if (!is_new) {
      given.fail(path + " in both " + owner->second + " and " + c.name,
                 "each value in one of them");
    }
  }
}

}  // namespace

Calibration read_calibration(Reader r) {
  r.must_be_object();
  Calibration c;
  c.file = r.file();
  c.name = r.at("name").text();
  c.device = r.at("device").text();
  if (auto node = r.find("node")) c.node = node->text();
  c.rests_on = static_cast<RestsOn>(1 + r.at("rests_on").choice(kMeasured));
  read_changes(r.at("changes"), c);
  if (c.changes.contains("tiers") && c.node.empty()) r.at("node");  // says what is missing
  check_spread(r.at("spread"), c);
  c.fit = read_fit(r.at("fit"));
  check_measured(r.at("measured"));
  c.date = read_provenance(r.at("provenance"));
  r.at("source").text();
  r.reject_unknown();
  return c;
}

std::vector<std::string> changed_paths(const Calibration& c) {
  std::vector<std::string> paths;
  for (const Leaf& leaf : leaves_of(c.changes)) paths.push_back(path_of(leaf.keys));
  return paths;
}

Calibration calibration_at(const Reader& given, const HardwareLookup& lookup, Json& document) {
  document = given.json();
  std::string file = given.file();
  std::string path = given.path();
  if (given.json().is_string()) {
    const std::string name = given.text();
    const auto found = lookup.find(HardwareKind::calibration, name);
    if (!found) {
      const std::vector<std::string> names = lookup.names(HardwareKind::calibration);
      given.fail("the unknown calibration \"" + name + "\"",
                 names.empty() ? "a path of one that `orrery calibrate fit` wrote"
                               : alternatives(names) + " or a path",
                 nearest_name(name, names));
    }
    document = parse_json(found->text, found->file);
    file = found->file;
    path = "";
  }
  return read_calibration(Reader(document, file, path));
}

std::vector<Calibration> apply_calibrations(const Reader& given, const HardwareLookup& lookup,
                                            Json& node) {
  std::vector<Calibration> applied;
  std::map<std::string, std::string> owners;
  const bool several = given.json().is_array();
  for (const Reader& one : several ? given.items() : std::vector<Reader>{given}) {
    if (!one.json().is_string() && !one.json().is_object()) {
      one.fail("a calibration's name, a path or an object");
    }
    Json document;
    const Calibration c = calibration_at(one, lookup, document);
    check_place(node, c, one, lookup);
    refuse_twice(c, owners, one);
    const Reader place(document, c.file, "changes.tiers");
    const std::string source(kRestsOnNames[static_cast<std::size_t>(c.rests_on)]);
    for (const Leaf& leaf : leaves_of(c.changes)) put_in_node(node, leaf, c, source, place);
    check_values(node, c, lookup);
    applied.push_back(c);
  }
  return applied;
}

}  // namespace orrery
