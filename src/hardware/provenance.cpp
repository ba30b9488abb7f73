// SPDX-License-Identifier: Apache-2.0
#include "hardware/provenance.h"

#include <utility>
#include <vector>

#include "core/json.h"
#include "core/json_path.h"
#include "core/json_text.h"
#include "core/provenance.h"

namespace orrery {
namespace {

Json set_by_run() { return source_json({SourceKind::run, {}, "", "", ""}); }

std::vector<std::string> components(const std::string& path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '.' || c == '[') {
      parts.emplace_back();
    } else if (c != ']') {
      parts.back() += c;
    }
  }
  return parts;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string path;
  for (const std::string& part : parts) {
    if (!path.empty()) path += '.';
    path += part;
  }
  return path;
}

std::string below(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

Json* sources_of(Json& document) {
  const auto at = document.find("sources");
  return at != document.end() && at->is_object() ? &*at : nullptr;
}

std::string tier_index(const std::string& name, const Json& node) {
  if (!node.contains("tiers") || !node["tiers"].is_array()) return name;
  const Json& tiers = node["tiers"];
  for (std::size_t i = 0; i < tiers.size(); ++i) {
    if (!name.empty() && text_within(tiers[i], "name") == name) return std::to_string(i);
  }
  return name;
}

void mark_leaves(Json& sources, const Json& own, const std::string& path, const Json& value) {
  if (!value.is_structured()) {
    if (listed_source(own, path).kind == SourceKind::unknown) sources[path] = set_by_run();
    return;
  }
  std::size_t index = 0;
  for (auto it = value.begin(); it != value.end(); ++it, ++index) {
    const std::string key = value.is_object() ? it.key() : std::to_string(index);
    if (key == "source" || key == "sources") continue;
    mark_leaves(sources, own, below(path, key), it.value());
  }
}

}  // namespace

std::string canonical_path(const std::string& path, const Json& node) {
  std::vector<std::string> parts = components(path);
  if (parts.size() > 1 && parts.front() == "cluster") parts.erase(parts.begin());
  if (parts.size() > 1 && parts.front() == "tiers") parts[1] = tier_index(parts[1], node);
  return joined(parts);
}

void mark_set_by_run(Json& document, const std::string& path, const Json& change) {
  Json& sources = document["sources"];
  if (!sources.is_object()) sources = Json::object();
  // A change's own sources are written from where it stands.
  Json own = {{"sources", Json::object()}};
  if (const auto given = change.find("sources"); given != change.end() && given->is_object()) {
    for (auto it = given->begin(); it != given->end(); ++it) {
      own["sources"][below(path, it.key())] = it.value();
    }
    sources.update(own["sources"]);
  }
  mark_leaves(sources, own, path, change);
}

void forget_sources(Json& document, const std::string& path) {
  Json* sources = sources_of(document);
  if (sources == nullptr) return;
  Json kept = Json::object();
  for (auto it = sources->begin(); it != sources->end(); ++it) {
    if (!lies_at(it.key(), path)) kept[it.key()] = it.value();
  }
  *sources = std::move(kept);
}

}  // namespace orrery
