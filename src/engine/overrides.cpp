// SPDX-License-Identifier: Apache-2.0
#include "engine/overrides.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/json.h"
#include "core/json_path.h"
#include "core/key_words.h"
#include "core/provenance.h"
#include "estimate/run_keys.h"

namespace orrery {
namespace {

[[noreturn]] void refuse(const Override& o, const std::string& found, const std::string& allowed) {
  throw InputError(o.flag, o.path, found, allowed);
}

bool is_index(const std::string& text) {
  return !text.empty() && text.size() < 6 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

Json& element_of(const Override& o, Json& array, const std::string& key) {
  if (!is_index(key) || std::stoul(key) >= array.size()) {
    refuse(o, "\"" + key + "\" in an array of " + std::to_string(array.size()),
           "an index of the array, from 0");
  }
  return array[std::stoul(key)];
}

// Replaces a name by its document, so that a key below the name can be set.
void expand_name(const Override& o, const ConfigLookup& lookup, const std::string& key, Json& at) {
  const std::string name = at.get<std::string>();
  const auto found = key == "model" ? lookup.model(name) : lookup.framework(name);
  if (!found) {
    const auto names = key == "model" ? lookup.model_names() : lookup.framework_names();
    throw InputError(ErrorCode::unknown_name, o.flag, key, "\"" + name + "\"",
                     "a " + key + " by name or path", nearest_name(name, names));
  }
  at = parse_json(found->text, found->file);
}

// A fit's source no longer speaks of a number that the user sets.
void mark_as_own(const std::string& path, Json& profile) {
  if (path == "sources" || path.starts_with("sources.")) return;
  Json& sources = profile["sources"];
  if (sources.is_null()) sources = Json::object();
  if (sources.is_object()) sources[path] = source_json({SourceKind::run, {}, "", "", ""});
}

// True where "tp·cp·pp 40, gpus 64" speaks of the key at the end of a path.
bool speaks_of(const std::string& found, const std::string& path) {
  const std::string key = path_keys(path).back();
  const auto is_part = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c));
  };
  for (std::size_t at = found.find(key); at != std::string::npos; at = found.find(key, at + 1)) {
    const std::size_t end = at + key.size();
    const bool begins = at == 0 || !is_part(found[at - 1]);
    if (begins && (end == found.size() || !is_part(found[end]))) return true;
  }
  return false;
}

// True where the error is about a tier that the override names and the error counts:
// cluster.tiers.infiniband.bandwidth is cluster.tiers[1].bandwidth.
bool lies_in_tier(const InputError& error, const Override& o) {
  constexpr std::string_view kTiers = "cluster.tiers";
  if (!o.path.starts_with(std::string(kTiers) + ".") || error.found() != brief(o.value))
    return false;
  const std::size_t tail = o.path.find('.', kTiers.size() + 1);
  return tail != std::string::npos && error.path().starts_with(std::string(kTiers) + "[") &&
         error.path().ends_with("]" + o.path.substr(tail));
}

// The override that gave the value the error is about; nullptr where the file did.
const Override* culprit(const std::vector<Override>& overrides, const std::string& run_file,
                        const InputError& error) {
  if (error.file() != run_file || error.path().empty()) return nullptr;
  for (auto o = overrides.rbegin(); o != overrides.rend(); ++o) {
    if (lies_at(error.path(), o->path) || lies_in_tier(error, *o)) return &*o;
    if (error.code() == ErrorCode::unknown_key && lies_at(o->path, error.path())) return &*o;
  }
  if (error.code() != ErrorCode::broken_rule) return nullptr;
  // A rule is of several keys, and blames one.
  for (auto o = overrides.rbegin(); o != overrides.rend(); ++o) {
    if (speaks_of(error.found(), o->path)) return &*o;
  }
  return nullptr;
}

// The kind of document that a key names; "" for none.
std::string_view documents_of(const Key& key) {
  for (const Form& f : key.forms) {
    if (f.kind == FormKind::document) return f.what;
  }
  return key.flag.names;
}

}  // namespace

const std::vector<RunFlag>& run_flags() {
  static const std::vector<RunFlag> flags = [] {
    std::vector<RunFlag> list;
    for (const KeyLine& line : key_lines(kRunKeys)) {
      const KeyFlag& flag = line.key->flag;
      if (!std::string_view(flag.name).empty()) {
        const std::string help = flag.help;
        list.push_back({flag.name, line.path, help.empty() ? values_words(line.key->forms) : help,
                        line.key->otherwise.value, documents_of(*line.key)});
      }
    }
    return list;
  }();
  return flags;
}

Override make_override(const std::string& flag, const std::string& path, const std::string& value) {
  return {flag + " " + value, path, json_or_text(value)};
}

namespace {

bool is_settable(const std::string& path) {
  const std::vector<std::string> parts = path_keys(path);
  return std::none_of(parts.begin(), parts.end(), [](const std::string& p) { return p.empty(); });
}

Override set_of(const std::string& text, const std::string& path, Json value) {
  if (!is_settable(path) || text.size() <= path.size() + 1) {
    throw InputError("--set", "", "\"" + text + "\"", "PATH=VALUE, as in parallel.tp=8");
  }
  return {"--set " + text, path, std::move(value)};
}

}  // namespace

Override parse_set(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string path = text.substr(0, equals);
  return set_of(text, path,
                equals == std::string::npos ? Json() : json_or_text(text.substr(equals + 1)));
}

void apply_override(const Override& o, const ConfigLookup& lookup, Json& run) {
  Json* at = &run;
  const std::vector<std::string> parts = path_keys(o.path);
  if (parts.size() > 64) refuse(o, "a path of " + std::to_string(parts.size()) + " keys", "fewer");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool below_root = i == 1 && (parts[0] == "model" || parts[0] == "framework");
    if (below_root && at->is_string()) expand_name(o, lookup, parts[0], *at);
    if (at->is_null()) *at = Json::object();
    if (at->is_array()) {
      at = &element_of(o, *at, parts[i]);
    } else if (at->is_object()) {
      at = &(*at)[parts[i]];
    } else {
      refuse(o, brief(*at) + " where \"" + parts[i] + "\" is set", "an object");
    }
  }
  *at = o.value;
  if (parts.size() > 1 && parts[0] == key_name<&RunRequest::framework>) {
    mark_as_own(o.path.substr(parts[0].size() + 1), run[parts[0]]);
  }
}

InputError named_after_flag(const InputError& e, const std::vector<Override>& overrides,
                            const std::string& run_file) {
  const Override* o = culprit(overrides, run_file, e);
  if (o == nullptr) return e;
  const bool is_rule = e.code() == ErrorCode::broken_rule && !lies_at(e.path(), o->path);
  return {e.code(), o->flag, is_rule ? o->path : e.path(), e.found(), e.allowed(), e.nearest()};
}

std::optional<Override> given_override(Request& request, const std::string& key,
                                       const std::string& path) {
  const auto value = request.find(key);
  if (!value) return {};
  if (request.asker() == Asker::flags && value->json().is_string()) {
    return make_override(request.named(key), path, value->text());
  }
  return Override{request.named(key) + " " + bare_text(value->json()), path, value->json()};
}

std::vector<Override> given_sets(Request& request) {
  const auto sets = request.find("set");
  std::vector<Override> list;
  if (!sets) return list;
  if (!sets->json().is_object()) {
    for (const std::string& text : request.texts("set")) list.push_back(parse_set(text));
    return list;
  }
  for (const auto& [path, value] : sets->json().items()) {
    list.push_back(set_of(path + "=" + bare_text(value), path, value));
  }
  return list;
}

}  // namespace orrery
