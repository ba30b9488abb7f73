// SPDX-License-Identifier: Apache-2.0
// The shipped hardware, and clusters from text, for tests of the hardware module.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "hardware/cluster_reader.h"

namespace orrery {

inline std::filesystem::path hardware_folder(HardwareKind kind) {
  const std::filesystem::path root = std::filesystem::path(ORRERY_CONFIG_DIR) / "hardware";
  return root / folder_of(kind);
}

inline std::vector<std::string> shipped_hardware(HardwareKind kind) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(hardware_folder(kind))) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

inline std::optional<HardwareText> find_shipped(HardwareKind kind, const std::string& name) {
  const std::filesystem::path path = hardware_folder(kind) / (name + ".json");
  std::ifstream in(path);
  if (!in) return {};
  std::stringstream text;
  text << in.rdbuf();
  return HardwareText{text.str(), path.string()};
}

inline HardwareLookup shipped_lookup() { return {find_shipped, shipped_hardware}; }

inline Json shipped_document(HardwareKind kind, const std::string& name) {
  const auto found = find_shipped(kind, name);
  return parse_json(found ? found->text : "", name);
}

inline ResolvedCluster shipped_node(const std::string& name, std::int64_t gpus = 0) {
  return read_node(shipped_document(HardwareKind::node, name), name, gpus, shipped_lookup());
}

inline ResolvedCluster cluster_of(const std::string& text) {
  const Json document = parse_json(text, "run.json");
  return read_cluster(Reader(document, "run.json", "cluster"), shipped_lookup());
}

// The message of read_cluster for a faulty cluster.
inline std::string refusal(const std::string& text) {
  try {
    cluster_of(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline double gb(BytesPerSecond rate) { return rate.si() / 1e9; }

}  // namespace orrery
