// SPDX-License-Identifier: Apache-2.0
#include "hardware/cluster_merge.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/error.h"
#include "core/json_text.h"
#include "core/provenance.h"
#include "hardware/cluster_reader.h"
#include "hardware/device_reader.h"
#include "hardware/node_fields.h"
#include "hardware/provenance.h"

namespace orrery {
namespace {

std::string kind_name(HardwareKind k) { return std::string(name_of(k)); }

bool has_part(const std::string& name, const std::string& part) {
  return name.find(part) != std::string::npos;
}

// A node's device: its name, or that of the one it changes.
std::string device_of_node(const std::string& node, const HardwareLookup& lookup) {
  const auto found = lookup.find(HardwareKind::node, node);
  if (!found) return "";
  const Json document = parse_json(found->text, found->file);
  const std::string own = text_within(document, "device");
  return own.empty() ? text_within(document, "device.base") : own;
}

// Names that hold the word, and nodes whose GPU's name does.
std::vector<std::string> names_like(const std::string& word, HardwareKind kind,
                                    const std::vector<std::string>& names,
                                    const HardwareLookup& lookup) {
  std::vector<std::string> like;
  for (const std::string& name : names) {
    const bool is_like = has_part(name, word) || (kind == HardwareKind::node &&
                                                  has_part(device_of_node(name, lookup), word));
    if (is_like) like.push_back(name);
  }
  return like;
}

[[noreturn]] void refuse_name(const Reader& name, HardwareKind kind, const HardwareLookup& lookup) {
  const std::string wanted = name.text();
  const std::vector<std::string> names = lookup.names(kind);
  const std::vector<std::string> like = names_like(wanted, kind, names, lookup);
  const bool is_gpu = kind == HardwareKind::node && lookup.find(HardwareKind::device, wanted);
  name.fail((is_gpu ? "the GPU \"" : "the unknown " + kind_name(kind) + " \"") + wanted + "\"",
            (is_gpu ? "a node, which has GPUs: " : "") + alternatives(like.empty() ? names : like),
            is_gpu ? "" : nearest_name(wanted, like.empty() ? names : like));
}

HardwareText find_text(const Reader& name, HardwareKind kind, const HardwareLookup& lookup) {
  if (auto found = lookup.find(kind, name.text())) return *std::move(found);
  refuse_name(name, kind, lookup);
}

Json device_named(const Reader& name, const HardwareLookup& lookup) {
  const HardwareText found = find_text(name, HardwareKind::device, lookup);
  Json document = with_sources_apart(parse_json(found.text, found.file));
  read_device(Reader(document, found.file));
  return document;
}

Json node_named(const Reader& name, const HardwareLookup& lookup) {
  const HardwareText found = find_text(name, HardwareKind::node, lookup);
  Json document = with_sources_apart(parse_json(found.text, found.file));
  Reader r(document, found.file);
  GraphFacts unused;
  read_node_fields(r, 0, unused);
  r.reject_unknown();
  merged_device(r.at("device"), lookup);
  return document;
}

Json without(const Json& object, const std::string& key) {
  Json copy = object;
  copy.erase(key);
  return copy;
}

bool sets_power_itself(const Json& node) {
  return listed_source(node, "power").kind == SourceKind::run;
}

// The power of a node's device, where its document says it.
std::optional<Watts> device_power(const Json& node, const Reader& at,
                                  const HardwareLookup& lookup) {
  if (!node.contains("device")) return {};
  const Json device = merged_device(Reader(node["device"], at.file(), at.path()), lookup);
  if (!device.contains("power")) return {};
  return Reader(device["power"], at.file(), at.path() + ".power").quantity<Watts::dimension>();
}

// A node's power is that of its devices and of what is around them: other devices change it by what
// they draw more or less.
void change_power(Json& node, std::optional<Watts> before, std::optional<Watts> now,
                  const Reader& change) {
  if (!before || !now || *before == *now || sets_power_itself(node)) return;
  if (!node.contains("power") || !node.contains("devices_per_node")) return;
  if (!node["devices_per_node"].is_number()) return;  // refused later
  const Watts all = Reader(node["power"], change.file(), "power").quantity<Watts::dimension>();
  const auto n = node["devices_per_node"].get<double>();
  const Watts power = all + (*now - *before) * n;
  if (!(power > Watts())) return;
  node["power"] = std::to_string(power.si()) + " W";
  forget_sources(node, "power");
  node["sources"]["power"] = "the node's, with what its devices draw in place of " +
                             std::to_string(std::llround(before->si())) + " W each";
}

// {"base": name} or an object that has it names another device; other objects change the one there.
void change_device(Json& node, const Reader& change, const HardwareLookup& lookup) {
  const Json& value = change.json();
  if (!value.is_string() && !value.is_object()) change.fail("a device's name, or an object");
  const std::optional<Watts> before = device_power(node, change, lookup);
  if (value.is_string() || value.contains("base") || !node.contains("device")) {
    forget_sources(node, "device");
    node["device"] = value;
  } else {
    if (node["device"].is_string()) node["device"] = Json{{"base", node["device"]}};
    merge_over(node["device"], value);
  }
  if (value.is_object()) mark_set_by_run(node, "device", without(value, "base"));
  change_power(node, before, device_power(node, change, lookup), change);
}

std::vector<std::string> tier_names(const Reader& tiers) {
  std::vector<std::string> names;
  for (Reader& tier : tiers.items()) names.push_back(tier.at("name").text());
  return names;
}

void change_tier(Json& node, const std::vector<std::string>& names, const std::string& name,
                 const Reader& change) {
  change.must_be_object();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != name) continue;
    merge_over(node["tiers"][i], change.json());
    mark_set_by_run(node, "tiers." + std::to_string(i), change.json());
    return;
  }
  change.fail("the unknown tier \"" + name + "\"", alternatives(names), nearest_name(name, names));
}

// An array is the new tiers; an object changes those the node has, by name.
void change_tiers(Json& node, Reader change) {
  if (change.json().is_array()) {
    forget_sources(node, "tiers");
    node["tiers"] = change.json();
    mark_set_by_run(node, "tiers", change.json());
    return;
  }
  change.must_be_object();
  if (!node.contains("tiers")) change.fail("an array of tiers: there are none to change");
  const std::vector<std::string> names =
      tier_names(Reader(node["tiers"], change.file(), change.path()));
  for (const std::string& name : change.keys()) change_tier(node, names, name, change.at(name));
}

// A name, an object with the "base" it changes, or an object that is all of it.
void replace_named(Json& node, const std::string& key, HardwareKind kind, const Reader& given,
                   const HardwareLookup& lookup) {
  forget_sources(node, key);
  Reader r = given;
  if (r.json().is_null()) {
    node[key] = nullptr;
    return;
  }
  if (!r.json().is_string()) r.must_be_object();
  const std::optional<Reader> base = r.json().is_string() ? r : r.find("base");
  if (base) {
    const HardwareText found = find_text(*base, kind, lookup);
    node[key] = parse_json(found.text, found.file);
    if (r.json().is_object()) merge_over(node[key], without(r.json(), "base"));
  } else {
    node[key] = r.json();
  }
  mark_set_by_run(node, key, Json());  // one mark for all of it, however large
}

void change_field(Json& node, const std::string& key, const Reader& change,
                  const HardwareLookup& lookup) {
  if (key == "graph") return replace_named(node, key, HardwareKind::graph, change, lookup);
  if (key == "fabric") return replace_named(node, key, HardwareKind::fabric, change, lookup);
  if (key == "device") return change_device(node, change, lookup);
  if (key == "tiers") return change_tiers(node, change);
  if (key == "source" || key == "sources") return merge_sourced(node, Json{{key, change.json()}});
  merge_over(node[key], change.json());
  mark_set_by_run(node, key, change.json());
}

void change_fields(Json& node, const Reader& changes, const std::vector<std::string>& but,
                   const HardwareLookup& lookup) {
  for (const std::string& key : changes.keys()) {
    if (std::find(but.begin(), but.end(), key) != but.end()) continue;
    // Not at(): null is a change too, it takes away what the node has.
    change_field(node, key, Reader(changes.json()[key], changes.file(), changes.path() + "." + key),
                 lookup);
  }
}

Json inline_node(Reader spec, const HardwareLookup& lookup) {
  for (const char* outside : {"node", "gpus"}) {
    if (auto found = spec.find(outside)) found->fail("nothing: it stands beside `node`");
  }
  const std::optional<Reader> base = spec.find("base");
  Json node = base ? node_named(*base, lookup) : Json::object();
  change_fields(node, spec, {"base"}, lookup);
  return node;
}

}  // namespace

Json merged_node(const Reader& given, const HardwareLookup& lookup) {
  const Json changes = with_sources_apart(given.json());
  Reader r(changes, given.file(), given.path());
  Json node = Json::object();
  if (const std::optional<Reader> spec = r.find("node")) {
    if (!spec->json().is_string() && !spec->json().is_object()) {
      spec->fail("a node's name, a path, or an object");
    }
    node = spec->json().is_string() ? node_named(*spec, lookup) : inline_node(*spec, lookup);
  }
  change_fields(node, r, {"node", "gpus", "calibration"}, lookup);
  if (!node.contains("tiers") && !r.has("node")) r.at("node");  // says what is missing
  return node;
}

Json merged_device(const Reader& r, const HardwareLookup& lookup) {
  if (r.json().is_string()) return device_named(r, lookup);
  Reader spec = r;
  spec.must_be_object();
  const std::optional<Reader> base = spec.find("base");
  if (!base) return spec.json();
  Json device = device_named(*base, lookup);
  merge_sourced(device, without(spec.json(), "base"));
  return device;
}

}  // namespace orrery
