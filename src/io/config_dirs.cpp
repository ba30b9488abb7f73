// SPDX-License-Identifier: Apache-2.0
#include "io/config_dirs.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>

#include "core/error.h"
#include "io/files.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

void add_if_there(std::vector<std::string>& directories, const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) directories.push_back(path.lexically_normal().string());
}

void add_from_environment(std::vector<std::string>& directories) {
  const char* given = std::getenv("ORRERY_CONFIG_PATH");
  if (given == nullptr) return;
  const std::string text = given;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin) add_if_there(directories, text.substr(begin, end - begin));
    begin = end + 1;
  }
}

// The shipped ones: of one place, as two versions of them are not to be mixed.
void add_shipped(std::vector<std::string>& directories) {
  std::error_code error;
  const std::size_t before = directories.size();
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) add_if_there(directories, program.parent_path() / "../share/orrery/configs");
  for (const char* path : {ORRERY_SOURCE_CONFIG_DIR, ORRERY_INSTALLED_CONFIG_DIR}) {
    if (directories.size() == before) add_if_there(directories, path);
  }
}

// The path of a file of the tree whose configs/ is `directory`: "configs/models/x.json".
fs::path path_in(const std::string& directory, const std::string& file) {
  constexpr std::string_view kConfigs = "configs/";
  if (file.rfind(kConfigs, 0) == 0) return fs::path(directory) / file.substr(kConfigs.size());
  return (fs::path(directory) / ".." / file).lexically_normal();
}

using OnRead = std::function<void(const std::string& file)>;

ConfigText text_at(const fs::path& path, const OnRead& on_read) {
  if (on_read) on_read(path.string());
  return {read_text(path.string()), path.string()};
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") names.insert(entry.path().stem().string());
  }
  return names;
}

// Published runs come from one tree: two versions of it are not to be mixed.
bool is_mixed(const std::string& folder) { return folder.rfind("validation/", 0) != 0; }

std::vector<std::string> names_of(const ConfigDirs& dirs, const std::string& folder) {
  std::set<std::string> names;
  for (const std::string& directory : dirs.directories) {
    names.merge(names_in(path_in(directory, folder)));
    if (!names.empty() && !is_mixed(folder)) break;
  }
  return {names.begin(), names.end()};
}

}  // namespace

ConfigDirs config_dirs(const std::string& from_flag) {
  ConfigDirs dirs;
  if (!from_flag.empty()) {
    add_if_there(dirs.directories, from_flag);
    if (dirs.directories.empty()) {
      throw InputError("--config-dir", "", "\"" + from_flag + "\"",
                       "a directory laid out like configs/");
    }
  }
  add_from_environment(dirs.directories);
  add_shipped(dirs.directories);
  return dirs;
}

ConfigSource folder_source(const ConfigDirs& dirs, const OnRead& on_read) {
  ConfigSource source;
  source.read = [dirs, on_read](const std::string& file) -> std::optional<ConfigText> {
    std::error_code error;
    for (const std::string& directory : dirs.directories) {
      const fs::path path = path_in(directory, file);
      if (fs::exists(path, error) && !fs::is_directory(path, error)) return text_at(path, on_read);
    }
    return {};
  };
  source.list = [dirs](const std::string& folder) { return names_of(dirs, folder); };
  source.open = [on_read](const std::string& name) -> std::optional<ConfigText> {
    std::error_code error;
    if (!fs::exists(name, error)) return {};
    return text_at(name, on_read);
  };
  return source;
}

}  // namespace orrery
