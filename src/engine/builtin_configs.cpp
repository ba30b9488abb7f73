// SPDX-License-Identifier: Apache-2.0
#include "engine/builtin_configs.h"

#include <algorithm>
#include <set>

#include "core/embedded.h"

namespace orrery {

// Made by CMake of configs/ and validation/, in the order of their names.
extern const std::span<const EmbeddedFile> config_files;

namespace {

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
  const bool inside = file.size() > folder.size() + kEnding.size() && file.rfind(folder, 0) == 0 &&
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
bool is_published(const std::string& folder) { return folder.rfind("validation/", 0) == 0; }

}  // namespace

ConfigSource builtin_configs() { return {read_builtin, list_builtin, {}}; }

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

}  // namespace orrery
