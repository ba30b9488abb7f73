// SPDX-License-Identifier: Apache-2.0
#include "validate/left_out_configs.h"

#include <algorithm>
#include <map>
#include <memory>

#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "core/provenance.h"
#include "parallel/framework_keys.h"

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

std::string left_out(const ConfigText& profile, const std::string& name,
                     const std::set<std::string>& sources, const FitParameters& parameters) {
  Json document = parse_json(profile.text, profile.file);
  const std::vector<std::string> paths =
      seen_by_them_alone(document, FitDocument::framework, name, sources, parameters);
  if (paths.empty()) return profile.text;
  for (const std::string& path : paths) erase_at(document, path);
  return document.dump();
}

}  // namespace

std::vector<std::string> seen_by_them_alone(const Json& document, FitDocument kind,
                                            const std::string& name,
                                            const std::set<std::string>& sources,
                                            const FitParameters& parameters) {
  std::vector<std::string> out;
  if (!document.contains("sources")) return out;
  for (const auto& [path, entry] : document["sources"].items()) {
    const Source s = read_source(entry);
    const bool is_own =
        !s.on.empty() && std::all_of(s.on.begin(), s.on.end(),
                                     [&](const std::string& on) { return sources.count(on) > 0; });
    if (is_own && !is_named(parameters, kind, name, path)) out.push_back(path);
  }
  return out;
}

std::set<std::string> options_of_them_alone(const ConfigLookup& lookup,
                                            const std::string& framework,
                                            const std::set<std::string>& sources,
                                            const FitParameters& parameters) {
  constexpr std::string_view kOptions = "options.";
  std::set<std::string> out;
  for (std::string name = framework; !name.empty();) {
    const std::optional<ConfigText> found = lookup.framework(name);
    if (!found) break;
    const Json document = parse_json(found->text, found->file);
    for (const std::string& path :
         seen_by_them_alone(document, FitDocument::framework, name, sources, parameters)) {
      if (path.starts_with(kOptions)) out.insert(path.substr(kOptions.size()));
    }
    name = document.value(std::string(key_name<&FrameworkProfile::inherits>), "");
  }
  return out;
}

ConfigLookup without_sources(const ConfigLookup& lookup, const std::set<std::string>& sources,
                             const FitParameters& parameters) {
  ConfigLookup out = lookup;
  out.accuracy = {};
  auto kept = std::make_shared<std::map<std::string, std::optional<ConfigText>>>();
  out.framework = [kept, sources, &parameters, find = lookup.framework](const std::string& name) {
    const auto known = kept->find(name);
    if (known != kept->end()) return known->second;
    std::optional<ConfigText> found = find(name);
    if (found) found->text = left_out(*found, name, sources, parameters);
    return (*kept)[name] = std::move(found);
  };
  return out;
}

}  // namespace orrery
