// SPDX-License-Identifier: Apache-2.0
#include "hardware/calibration.h"

#include "core/error.h"
#include "core/json.h"
#include "core/provenance.h"
#include "hardware/cluster_merge.h"
#include "hardware/device_reader.h"
#include "hardware/node_fields.h"
#include "hardware/provenance.h"

namespace orrery {
namespace {

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

// Puts a leaf into a node document, with its source by path, unless the run sets the value.
void put_in_node(Json& node, const ChangedValue& leaf, const Calibration& c, const Reader& place) {
  const bool device = leaf.keys.front() == "device";
  std::string path = path_of(leaf.keys);
  std::size_t tier = 0;
  if (!device) {
    tier = tier_named(node, leaf.keys[1], place);
    path = "tiers." + std::to_string(tier);
    for (std::size_t i = 2; i < leaf.keys.size(); ++i) path += "." + leaf.keys[i];
  }
  if (listed_source(node, path).kind == SourceKind::run) return;  // the run's own word goes first
  if (device) {
    if (node["device"].is_string()) node["device"] = Json{{"base", node["device"]}};
    put(node["device"], leaf.keys, 1, *leaf.value);
  } else {
    put(node["tiers"][tier], leaf.keys, 2, *leaf.value);
  }
  if (!node["sources"].is_object()) node["sources"] = Json::object();
  const auto kind = c.rests_on == RestsOn::measured ? SourceKind::measured : SourceKind::fitted;
  node["sources"][path] = source_json({kind, {}, "", c.name, c.date});
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
  if (c.changes->contains("tiers") && name_at(node) != c.node) {
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

std::vector<std::string> changed_paths(const Calibration& c) {
  std::vector<std::string> paths;
  for (const ChangedValue& leaf : leaves_of(*c.changes)) paths.push_back(path_of(leaf.keys));
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
    for (const ChangedValue& leaf : leaves_of(*c.changes)) put_in_node(node, leaf, c, place);
    check_values(node, c, lookup);
    applied.push_back(c);
  }
  return applied;
}

namespace {

void add_leaves(const Json& value, std::vector<std::string> keys, std::vector<ChangedValue>& out) {
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

}  // namespace

std::vector<ChangedValue> leaves_of(const Json& changes) {
  std::vector<ChangedValue> out;
  add_leaves(changes, {}, out);
  return out;
}

std::string path_of(const std::vector<std::string>& keys) {
  std::string path;
  for (const std::string& key : keys) path += (path.empty() ? "" : ".") + key;
  return path;
}

}  // namespace orrery
