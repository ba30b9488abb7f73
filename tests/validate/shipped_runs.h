// SPDX-License-Identifier: Apache-2.0
// The shipped validation files and configurations, for the tests of the validate module.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "estimate/config_lookup.h"
#include "validate/report.h"

namespace orrery::testing {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& path : files_in(ORRERY_CONFIG_DIR "/" + folder)) names.push_back(path.stem());
  return names;
}

inline std::optional<ConfigText> find_in(const std::string& folder, const std::string& name) {
  const std::string file = ORRERY_CONFIG_DIR "/" + folder + "/" + name + ".json";
  const std::string text = text_of(file);
  if (text.empty()) return {};
  return ConfigText{text, file};
}

inline ConfigLookup shipped_lookup() {
  ConfigLookup lookup;
  const auto folder = [](HardwareKind kind) { return "hardware/" + folder_of(kind); };
  lookup.hardware.find = [=](HardwareKind kind,
                             const std::string& name) -> std::optional<HardwareText> {
    const std::optional<ConfigText> found = find_in(folder(kind), name);
    if (!found) return {};
    return HardwareText{found->text, found->file};
  };
  lookup.hardware.names = [=](HardwareKind kind) { return names_in(folder(kind)); };
  lookup.model = [](const std::string& name) { return find_in("models", name); };
  lookup.framework = [](const std::string& name) { return find_in("frameworks", name); };
  lookup.compression = [](const std::string& name) { return find_in("compression", name); };
  lookup.compression_names = [] { return names_in("compression"); };
  lookup.accuracy = [] {
    const std::string file = ORRERY_CONFIG_DIR "/accuracy.json";
    return std::optional<ConfigText>({text_of(file), file});
  };
  lookup.model_names = [] { return names_in("models"); };
  lookup.framework_names = [] { return names_in("frameworks"); };
  return lookup;
}

inline std::vector<Row> shipped_rows() {
  std::vector<Row> rows;
  for (const auto& path : files_in(std::filesystem::path(ORRERY_VALIDATION_DIR) / "runs")) {
    for (const Row& row : read_rows(text_of(path), path.filename().string())) rows.push_back(row);
  }
  return rows;
}

// Judged once for all tests of the program.
inline const ValidationReport& shipped_report() {
  static const ValidationReport report = validate(shipped_rows(), shipped_lookup());
  return report;
}

}  // namespace orrery::testing
