// SPDX-License-Identifier: Apache-2.0
#include "engine/config_source.h"

namespace orrery {
namespace {

std::string folder_of(ConfigKind kind) { return "configs/" + std::string(kConfigFolders[kind]); }

ConfigKind kind_of(HardwareKind kind) {
  switch (kind) {
    case HardwareKind::device:
      return ConfigKind::device;
    case HardwareKind::node:
      return ConfigKind::node;
    case HardwareKind::graph:
      return ConfigKind::graph;
    case HardwareKind::fabric:
      return ConfigKind::fabric;
    case HardwareKind::calibration:
      return ConfigKind::calibration;
  }
  return ConfigKind::device;
}

std::optional<ConfigText> find_file(const ConfigSource& source, const std::string& path,
                                    const std::string& beside) {
  if (!source.open) return {};
  if (auto found = source.open(path)) return found;
  const bool relative = !path.empty() && path.front() != '/';
  return beside.empty() || !relative ? std::nullopt : source.open(beside + "/" + path);
}

}  // namespace

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos ||
         (name.size() > 5 && name.compare(name.size() - 5, 5, ".json") == 0);
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return "";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::optional<ConfigText> find_config(const ConfigSource& source, ConfigKind kind,
                                      const std::string& name, const std::string& beside) {
  if (is_path(name)) return find_file(source, name, beside);
  return source.read(folder_of(kind) + "/" + name + ".json");
}

std::vector<std::string> config_names(const ConfigSource& source, ConfigKind kind) {
  return source.list(folder_of(kind));
}

std::vector<ConfigText> published_files(const ConfigSource& source) {
  std::vector<ConfigText> files;
  for (const std::string& name : source.list("validation/runs")) {
    if (auto found = source.read("validation/runs/" + name + ".json")) files.push_back(*found);
  }
  return files;
}

std::optional<ConfigText> validation_file(const ConfigSource& source, const std::string& name) {
  return source.read("validation/" + name);
}

ConfigLookup config_lookup(const ConfigSource& source, const std::string& beside) {
  ConfigLookup lookup;
  const auto finding = [&](ConfigKind kind) {
    return [source, beside, kind](const std::string& name) {
      return find_config(source, kind, name, beside);
    };
  };
  const auto naming = [&](ConfigKind kind) {
    return [source, kind] { return config_names(source, kind); };
  };
  lookup.hardware.find = [=](HardwareKind kind,
                             const std::string& name) -> std::optional<HardwareText> {
    const auto found = find_config(source, kind_of(kind), name, beside);
    if (!found) return {};
    return HardwareText{found->text, found->file};
  };
  lookup.hardware.names = [=](HardwareKind kind) { return config_names(source, kind_of(kind)); };
  lookup.model = finding(ConfigKind::model);
  lookup.framework = finding(ConfigKind::framework);
  lookup.compression = finding(ConfigKind::compression);
  lookup.schedule = finding(ConfigKind::model);
  lookup.model_names = naming(ConfigKind::model);
  lookup.framework_names = naming(ConfigKind::framework);
  lookup.compression_names = naming(ConfigKind::compression);
  lookup.accuracy = [source] { return source.read("configs/accuracy.json"); };
  return lookup;
}

}  // namespace orrery
