// SPDX-License-Identifier: Apache-2.0
#include "core/provenance.h"

#include <span>
#include <utility>

#include "core/json.h"
#include "core/json_path.h"

namespace orrery {
namespace {

const Json* member(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return nullptr;
  return &object[key];
}

std::string text_at(const Json& object, const char* key) {
  const Json* value = member(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

std::string calibration_words(const Source& s) {
  const char* basis =
      s.kind == SourceKind::measured ? "measured on this machine" : "fitted on published runs";
  return std::string(basis) + ": calibration " + s.calibration +
         (s.date.empty() ? "" : " of " + s.date);
}

std::string marker(const Source& s) {
  switch (s.kind) {
    case SourceKind::unknown:
    case SourceKind::stated:
      return "";
    case SourceKind::measured:
      return "[measured]";
    case SourceKind::fitted: {
      std::string on;
      for (const std::string& name : s.on) on += (on.empty() ? "" : ", ") + name;
      return "[fitted on " + on + "]";
    }
    case SourceKind::derived:
      return "[derived]";
    case SourceKind::assumed:
      return "[assumed]";
    case SourceKind::memory:
      return "[from memory, unverified]";
    case SourceKind::announced:
      return "[announced]";
    case SourceKind::run:
      return "set by the run";
  }
  return "";
}

// A merged document has marks of the run beside what a file may say.
SourceKind read_kind(const Reader& r) {
  if (r.json() == "run") return SourceKind::run;
  return static_cast<SourceKind>(1 + r.choice(std::span(kNamesOf<SourceKind>).subspan<1, 7>()));
}

void check_source(Reader entry) {
  if (!entry.json().is_object()) {
    static_cast<void>(entry.text());
    return;
  }
  const SourceKind kind = read_kind(entry.at("kind"));
  for (const char* known : {"calibration", "date"}) entry.allow(known);
  const bool needs_data = kind == SourceKind::fitted && !entry.has("calibration");
  const auto on = needs_data ? entry.at("on") : entry.find("on");
  if (on) {
    if (on->items().empty()) on->fail("the data that had a say in it");
    for (const Reader& name : on->items()) static_cast<void>(name.text());
  }
  if (const auto text = entry.find("source")) static_cast<void>(text->text());
  if (const auto prior = entry.find("prior")) check_source(*prior);
  entry.reject_unknown();
}

bool stands_beside_source(const Json& value) {
  return member(value, "value") != nullptr && member(value, "kind") != nullptr;
}

void split(Json& value, const std::string& path, Json& sources) {
  std::size_t index = 0;
  for (auto it = value.begin(); it != value.end(); ++it, ++index) {
    const std::string key = value.is_object() ? it.key() : std::to_string(index);
    if (key == "source" || key == "sources" || !it->is_structured()) continue;
    const std::string below = path.empty() ? key : path + "." + key;
    if (stands_beside_source(*it)) {
      sources[below] = source_json(read_source(*it));
      *it = Json((*it)["value"]);
    } else {
      split(*it, below, sources);
    }
  }
}

}  // namespace

Source read_source(const Json& entry) {
  if (entry.is_string()) return {SourceKind::stated, {}, entry.get<std::string>(), "", ""};
  Source s;
  if (!entry.is_object()) return s;
  s.kind = find_name<SourceKind>(text_at(entry, "kind")).value_or(SourceKind::unknown);
  if (const Json* on = member(entry, "on"); on != nullptr && on->is_array()) {
    for (const Json& name : *on) {
      if (name.is_string()) s.on.push_back(name.get<std::string>());
    }
  }
  s.text = text_at(entry, "source");
  s.calibration = text_at(entry, "calibration");
  s.date = text_at(entry, "date");
  return s;
}

Json source_json(const Source& s) {
  Json entry = {{"kind", std::string(name_of(s.kind))}};
  if (!s.on.empty()) entry["on"] = s.on;
  if (!s.text.empty()) entry["source"] = s.text;
  if (!s.calibration.empty()) entry["calibration"] = s.calibration;
  if (!s.date.empty()) entry["date"] = s.date;
  return entry;
}

std::string source_text(const Source& s) {
  if (!s.calibration.empty()) return calibration_words(s);
  const std::string mark = marker(s);
  return mark + (mark.empty() || s.text.empty() ? "" : " ") + s.text;
}

Source listed_source(const Json& document, const std::string& path) {
  const Json* sources = member(document, "sources");
  if (sources == nullptr || !sources->is_object()) return {};
  const Json* entry = nullptr;
  std::size_t longest = 0;
  for (auto it = sources->begin(); it != sources->end(); ++it) {
    if (!lies_at(path, it.key()) || it.key().size() < longest) continue;
    longest = it.key().size();
    entry = &it.value();
  }
  return entry == nullptr ? Source{} : read_source(*entry);
}

Source document_source(const Json& document, const std::string& path) {
  const Source listed = listed_source(document, path);
  if (listed.kind != SourceKind::unknown) return listed;
  const Json* whole = member(document, "source");
  return whole == nullptr ? Source{} : read_source(*whole);
}

void check_sources(Reader& document) {
  if (const auto whole = document.find("source")) check_source(*whole);
  auto sources = document.find("sources");
  if (!sources) return;
  for (const std::string& path : sources->keys()) check_source(sources->at(path));
}

void merge_sourced(Json& document, const Json& change) {
  Json sources = document.value("sources", Json::object());
  if (const Json* own = member(change, "sources"); own != nullptr && own->is_object()) {
    sources.update(*own);
  }
  merge_over(document, change);
  if (document.contains("sources") && document["sources"].is_object()) {
    document["sources"] = std::move(sources);
  }
}

Json with_sources_apart(const Json& document) {
  Json apart = document;
  if (!apart.is_object()) return apart;
  Json sources = Json::object();
  split(apart, "", sources);
  if (!sources.empty()) apart["sources"].update(sources);
  return apart;
}

}  // namespace orrery
