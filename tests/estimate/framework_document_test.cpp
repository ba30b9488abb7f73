// SPDX-License-Identifier: Apache-2.0
#include "estimate/framework_document.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <set>

#include "core/json_path.h"
#include "parallel/framework_json.h"
#include "parallel/framework_keys.h"
#include "support/runs.h"

namespace orrery {
namespace {

Json document_of(const char* text, std::vector<std::string>& notes) {
  return with_inherited(Json::parse(text), "mine.json", testing::shipped_configs(), notes);
}

Json document_of(const char* text) {
  std::vector<std::string> notes;
  Json document = document_of(text, notes);
  CHECK(notes.empty());
  return document;
}

Framework framework_of(const Json& document, const Json& options = Json::object()) {
  return read_framework(document, "mine.json", options, "", "").framework;
}

TEST_CASE("a profile takes the keys of a group that it does not state") {
  const Json parent = document_of(R"({"inherits": "torchtitan", "name": "a"})");
  const Json child =
      document_of(R"({"inherits": "torchtitan", "name": "b", "overlap": {"dp_share": 0.25}})");
  CHECK(value_at(child, "overlap.dp_share") == 0.25);
  CHECK(value_at(child, "overlap.dp_floor") == value_at(parent, "overlap.dp_floor"));
  CHECK(value_at(child, "kernels") == value_at(parent, "kernels"));
}

TEST_CASE("keys of version 0.2.0 are read into their groups, with a note") {
  std::vector<std::string> notes;
  const Json former = document_of(R"({"inherits": "torchtitan", "name": "mine",
      "fabric_share": 0.25, "prefetch_norm": 7, "keeps_gathered_head": false, "context": "1 GiB",
      "sources": {"fabric_share": "measured here", "options.own": "ours"},
      "options": {"own": {"default": "off", "values": {
          "off": {}, "on": {"tp_exposed": 0.5, "keeps_gathered_weights": true}}},
        "live": {"default": 0, "lowest": 0, "field": "max_live_parameters"}}})",
                                  notes);
  const Json now = document_of(R"({"inherits": "torchtitan", "name": "mine",
      "network": {"fabric_share": 0.25}, "gathers": {"prefetch_norm": 7, "kept": ["pipeline"]},
      "buffers": {"context": "1 GiB"},
      "sources": {"network.fabric_share": "measured here", "options.own": "ours"},
      "options": {"own": {"default": "off", "values": {
          "off": {}, "on": {"overlap": {"tp_exposed": 0.5},
                            "gathers": {"kept": ["pipeline", "layers"]}}}},
        "live": {"default": 0, "lowest": 0, "field": "gathers.max_live"}}})");
  CHECK(former == now);
  REQUIRE(notes.size() == 1);
  CHECK(notes.front() ==
        "mine.json has keys of an earlier version, which now stand in groups: context is "
        "buffers.context, fabric_share is network.fabric_share, keeps_gathered_head is "
        "gathers.kept (and 3 more)");
  const Framework on = framework_of(former, {{"own", "on"}, {"live", 9}});
  CHECK(on.gathers.keeps(KeptGathered::layers));
  CHECK(!on.gathers.keeps(KeptGathered::head));
  CHECK(on.gathers.max_live == 9);
}

// Calls visit(path) for each key of the profile's own document or of an overlay of it.
template <class Visit>
void for_each_set(const Json& object, Visit&& visit) {
  for (const Key& k : kFrameworkKeys.keys) {
    const std::string name(k.name);
    if (!object.contains(name)) continue;
    if (k.forms.front().kind != FormKind::object) {
      visit(name);
      continue;
    }
    for (const auto& [inner, value] : object[name].items()) visit(name + "." + inner);
  }
}

std::set<std::string> paths_set_by(const Json& profile) {
  std::set<std::string> paths;
  const auto note = [&paths](const std::string& path) { paths.insert(path); };
  for_each_set(profile, note);
  const Json options = profile.value("options", Json::object());
  for (const auto& [name, option] : options.items()) {
    if (option.contains("field")) note(option["field"].get<std::string>());
    const Json values = option.value("values", Json::object());
    for (const auto& [value, overlay] : values.items()) for_each_set(overlay, note);
  }
  return paths;
}

std::string_view physics_of(const std::string& path) {
  const std::size_t dot = path.find('.');
  for (const Key& k : kFrameworkKeys.keys) {
    if (k.name != path.substr(0, dot)) continue;
    if (dot == std::string::npos) return k.physics;
    for (const Key& inner : k.forms.front().object->keys) {
      if (inner.name == path.substr(dot + 1)) return inner.physics;
    }
  }
  return {};
}

TEST_CASE("a key that at most one shipped profile sets says its physics and where it stands") {
  std::map<std::string, int> profiles;
  const std::filesystem::path folder = std::filesystem::path(ORRERY_CONFIG_DIR) / "frameworks";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const Json own = testing::json_of(*testing::text_of_file(file.path().string()));
    for (const std::string& path : paths_set_by(own)) ++profiles[path];
  }
  CHECK(profiles["kernels.attention"] > 5);
  for (const std::string& path : framework_paths()) {
    CAPTURE(path);
    if (path == "name" || profiles[path] > 1) continue;
    const std::string_view physics = physics_of(path);
    CHECK(physics.find('(') != std::string_view::npos);  // with the document in parentheses
  }
}

}  // namespace
}  // namespace orrery
