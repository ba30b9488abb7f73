// SPDX-License-Identifier: Apache-2.0
#include "engine/config_source.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "core/embedded.h"
#include "core/error.h"
#include "estimate/cached_parts.h"

namespace orrery {

// Made by CMake of configs/ and validation/, in the order of their names.
// NOLINTNEXTLINE(readability-identifier-naming): the name that the build writes
extern const std::span<const EmbeddedFile> config_files;

namespace {

std::string folder_of(ConfigKind kind) { return "configs/" + std::string(kConfigFolders[kind]); }

constexpr EnumArray<HardwareKind, ConfigKind> kKinds = {ConfigKind::device, ConfigKind::node,
                                                        ConfigKind::graph, ConfigKind::fabric,
                                                        ConfigKind::calibration};

std::optional<ConfigText> find_file(const ConfigSource& source, const std::string& path,
                                    const std::string& beside) {
  if (!source.open) return {};
  if (auto found = source.open(path)) return found;
  const bool relative = !path.empty() && path.front() != '/';
  return beside.empty() || !relative ? std::nullopt : source.open(beside + "/" + path);
}

std::optional<ConfigText> read_builtin(const std::string& file) {
  const auto at = std::lower_bound(
      config_files.begin(), config_files.end(), file,
      [](const EmbeddedFile& f, const std::string& name) { return f.name < name; });
  if (at == config_files.end() || at->name != file) return {};
  return ConfigText{std::string(at->text), file};
}

// "x" of "folder/x.json"; "" of what lies elsewhere.
std::string_view name_in(std::string_view folder, std::string_view file) {
  constexpr std::string_view kEnding = ".json";
  const bool inside = file.size() > folder.size() + kEnding.size() && file.starts_with(folder) &&
                      file[folder.size()] == '/' &&
                      file.find('/', folder.size() + 1) == std::string_view::npos;
  if (!inside || file.substr(file.size() - kEnding.size()) != kEnding) return {};
  return file.substr(folder.size() + 1, file.size() - folder.size() - 1 - kEnding.size());
}

std::vector<std::string> list_builtin(const std::string& folder) {
  std::vector<std::string> names;
  for (const EmbeddedFile& f : config_files) {
    if (const auto name = name_in(folder, f.name); !name.empty()) names.emplace_back(name);
  }
  return names;
}

// Published runs of two versions are not to be mixed.
bool is_published(const std::string& folder) { return folder.starts_with("validation/"); }

// The answers of one function by its argument. An answer that throws is asked for again.
template <class T>
class Kept {
 public:
  using Ask = std::function<T(const std::string&)>;

  explicit Kept(Ask ask) : ask_(std::move(ask)) {}

  T get(const std::string& name) {
    if (const auto known = find(name)) return *known;
    const auto answer = std::make_shared<const T>(ask_(name));
    const std::lock_guard<std::mutex> lock(mutex_);
    return *known_.emplace(name, answer).first->second;
  }

 private:
  std::shared_ptr<const T> find(const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = known_.find(name);
    return at == known_.end() ? nullptr : at->second;
  }

  Ask ask_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const T>> known_;
};

template <class T>
std::function<T(const std::string&)> keeping(std::function<T(const std::string&)> ask) {
  return [all = std::make_shared<Kept<T>>(std::move(ask))](const std::string& name) {
    return all->get(name);
  };
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

ConfigText required_config(const ConfigSource& source, ConfigKind kind, const std::string& name,
                           const std::string& file, const std::string& path) {
  if (const auto found = find_config(source, kind, name)) return *found;
  const std::string word(name_of(kind));
  throw InputError(file, path, "\"" + name + "\"",
                   "a name of `orrery list " + word + "s` or a path",
                   nearest_name(name, config_names(source, kind)));
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
    const auto found = find_config(source, kKinds[kind], name, beside);
    if (!found) return {};
    return HardwareText{found->text, found->file};
  };
  lookup.hardware.names = [=](HardwareKind kind) { return config_names(source, kKinds[kind]); };
  lookup.model = finding(ConfigKind::model);
  lookup.framework = finding(ConfigKind::framework);
  lookup.compression = finding(ConfigKind::compression);
  lookup.engine = finding(ConfigKind::engine);
  lookup.engine_names = naming(ConfigKind::engine);
  lookup.schedule = finding(ConfigKind::model);
  lookup.tool = finding(ConfigKind::tool);
  lookup.tool_names = naming(ConfigKind::tool);
  lookup.model_names = naming(ConfigKind::model);
  lookup.framework_names = naming(ConfigKind::framework);
  lookup.compression_names = naming(ConfigKind::compression);
  lookup.accuracy = [source] { return source.read("configs/accuracy.json"); };
  lookup.parts = source.parts;
  return lookup;
}

ConfigSource builtin_configs() { return {read_builtin, list_builtin, {}, nullptr}; }

ConfigSource with_builtin_configs(ConfigSource first) {
  ConfigSource both;
  both.read = [read = first.read](const std::string& file) {
    auto found = read(file);
    return found ? found : read_builtin(file);
  };
  both.list = [list = first.list](const std::string& folder) {
    std::vector<std::string> names = list(folder);
    if (!names.empty() && is_published(folder)) return names;
    const std::vector<std::string> own = list_builtin(folder);
    std::set<std::string> all(names.begin(), names.end());
    all.insert(own.begin(), own.end());
    return std::vector<std::string>(all.begin(), all.end());
  };
  both.open = std::move(first.open);
  return both;
}

ConfigSource kept(ConfigSource source, KeptPaths paths) {
  source.read = keeping(std::move(source.read));
  source.list = keeping(std::move(source.list));
  if (paths == KeptPaths::yes && source.open) source.open = keeping(std::move(source.open));
  if (!source.parts) source.parts = std::make_shared<CachedParts>();
  return source;
}

}  // namespace orrery
