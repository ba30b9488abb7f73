// SPDX-License-Identifier: Apache-2.0
#include "validate/left_out_configs.h"

#include <algorithm>
#include <map>
#include <memory>

#include "core/json.h"
#include "core/json_path.h"
#include "core/provenance.h"

namespace orrery {
namespace {

bool is_named(const FitParameters& parameters, FitDocument kind, const std::string& name,
              const std::string& path) {
  return std::any_of(
      parameters.parameters.begin(), parameters.parameters.end(), [&](const FitParameter& p) {
        return p.document == kind && std::find(p.in.begin(), p.in.end(), name) != p.in.end() &&
               std::any_of(p.fields.begin(), p.fields.end(),
                           [&](const FitField* f) { return f->path == path; });
      });
}

std::string left_out(const ConfigText& profile, const std::string& name, const std::string& source,
                     const FitParameters& parameters) {
  Json document = parse_json(profile.text, profile.file);
  const std::vector<std::string> paths =
      seen_by_one(document, FitDocument::framework, name, source, parameters);
  if (paths.empty()) return profile.text;
  for (const std::string& path : paths) erase_at(document, path);
  return document.dump();
}

}  // namespace

std::vector<std::string> seen_by_one(const Json& document, FitDocument kind,
                                     const std::string& name, const std::string& source,
                                     const FitParameters& parameters) {
  std::vector<std::string> out;
  if (!document.contains("sources")) return out;
  for (const auto& [path, entry] : document["sources"].items()) {
    const Source s = read_source(entry);
    const bool is_own =
        !s.on.empty() &&
        std::all_of(s.on.begin(), s.on.end(), [&](const std::string& on) { return on == source; });
    if (is_own && !is_named(parameters, kind, name, path)) out.push_back(path);
  }
  return out;
}

ConfigLookup without_source(const ConfigLookup& lookup, const std::string& source,
                            const FitParameters& parameters) {
  ConfigLookup out = lookup;
  out.accuracy = {};
  auto kept = std::make_shared<std::map<std::string, std::optional<ConfigText>>>();
  out.framework = [kept, source, &parameters, find = lookup.framework](const std::string& name) {
    const auto known = kept->find(name);
    if (known != kept->end()) return known->second;
    std::optional<ConfigText> found = find(name);
    if (found) found->text = left_out(*found, name, source, parameters);
    return (*kept)[name] = std::move(found);
  };
  return out;
}

}  // namespace orrery
