// SPDX-License-Identifier: Apache-2.0
#include "io/config_dirs.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

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

void add_beside_program(std::vector<std::string>& directories) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) add_if_there(directories, program.parent_path() / "../share/orrery/configs");
}

fs::path folder_of(const std::string& directory, ConfigKind kind) {
  return fs::path(directory) / kConfigFolders[kind];
}

std::optional<ConfigText> file_at(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error) || fs::is_directory(path, error)) return {};
  // debug: below the log level of a program that only links the library.
  spdlog::debug("reading {}", path.string());
  return ConfigText{read_text(path.string()), path.string()};
}

ConfigKind kind_of(HardwareKind kind) {
  constexpr std::array kKinds = {ConfigKind::device, ConfigKind::node, ConfigKind::graph,
                                 ConfigKind::fabric, ConfigKind::calibration};
  return kKinds[static_cast<std::size_t>(kind)];
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
  add_beside_program(dirs.directories);
  add_if_there(dirs.directories, ORRERY_SOURCE_CONFIG_DIR);
  add_if_there(dirs.directories, ORRERY_INSTALLED_CONFIG_DIR);
  return dirs;
}

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos ||
         (name.size() > 5 && name.compare(name.size() - 5, 5, ".json") == 0);
}

std::optional<ConfigText> find_config(const ConfigDirs& dirs, ConfigKind kind,
                                      const std::string& name, const std::string& beside) {
  if (is_path(name)) {
    if (auto found = file_at(name)) return found;
    return beside.empty() ? std::nullopt : file_at(fs::path(beside) / name);
  }
  for (const std::string& directory : dirs.directories) {
    if (auto found = file_at(folder_of(directory, kind) / (name + ".json"))) return found;
  }
  return {};
}

std::vector<std::string> config_names(const ConfigDirs& dirs, ConfigKind kind) {
  std::set<std::string> names;
  for (const std::string& directory : dirs.directories) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_of(directory, kind), error)) {
      if (entry.path().extension() == ".json") names.insert(entry.path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> validation_files(const ConfigDirs& dirs) {
  std::vector<std::string> files;
  for (const std::string& directory : dirs.directories) {
    std::error_code error;
    const fs::path runs = fs::path(directory) / "../validation/runs";
    for (const auto& entry : fs::directory_iterator(runs.lexically_normal(), error)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path().string());
    }
    if (!files.empty()) break;
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string validation_file(const ConfigDirs& dirs, const std::string& name) {
  for (const std::string& directory : dirs.directories) {
    const fs::path file = fs::path(directory) / "../validation" / name;
    std::error_code error;
    if (fs::exists(file, error)) return file.lexically_normal().string();
  }
  return "";
}

ConfigLookup config_lookup(const ConfigDirs& dirs, const std::string& beside) {
  ConfigLookup lookup;
  lookup.hardware.find = [=](HardwareKind kind,
                             const std::string& name) -> std::optional<HardwareText> {
    const auto found = find_config(dirs, kind_of(kind), name, beside);
    if (!found) return {};
    return HardwareText{found->text, found->file};
  };
  lookup.hardware.names = [=](HardwareKind kind) { return config_names(dirs, kind_of(kind)); };
  lookup.model = [=](const std::string& name) {
    return find_config(dirs, ConfigKind::model, name, beside);
  };
  lookup.framework = [=](const std::string& name) {
    return find_config(dirs, ConfigKind::framework, name, beside);
  };
  lookup.compression = [=](const std::string& name) {
    return find_config(dirs, ConfigKind::compression, name, beside);
  };
  lookup.compression_names = [=] { return config_names(dirs, ConfigKind::compression); };
  lookup.accuracy = [=]() -> std::optional<ConfigText> {
    for (const std::string& directory : dirs.directories) {
      if (auto found = file_at(fs::path(directory) / "accuracy.json")) return found;
    }
    return {};
  };
  lookup.schedule = [=](const std::string& path) {
    return find_config(dirs, ConfigKind::model, path, beside);
  };
  lookup.model_names = [=] { return config_names(dirs, ConfigKind::model); };
  lookup.framework_names = [=] { return config_names(dirs, ConfigKind::framework); };
  return lookup;
}

}  // namespace orrery
