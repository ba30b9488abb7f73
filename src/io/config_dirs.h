// SPDX-License-Identifier: Apache-2.0
//
// Where models, nodes, devices, frameworks, compression schemes, runs and the like lie by name.
//
// Directories laid out like configs/, in this order: --config-dir, each of $ORRERY_CONFIG_PATH
// (separated by ':'), ../share/orrery/configs beside the program, the source tree it was built
// from, where that build installs. The first that has a name wins. What ends in .json or holds a
// '/' is a path instead, from the working directory or, where there is no such file, from beside
// the run file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/resolve.h"

namespace orrery {

enum class ConfigKind : std::uint8_t {
  model,
  node,
  device,
  framework,
  compression,
  run,
  graph,
  fabric,
  // What a capacity plan names, in the order of SiteKind; and plans.
  failures,
  storage,
  prices,
  energy,
  data,
  capacity,
  calibration,
  sweep
};
inline constexpr std::size_t kConfigKinds = 16;
inline constexpr std::array<std::string_view, kConfigKinds> kConfigFolders = {"models",
                                                                              "hardware/nodes",
                                                                              "hardware/devices",
                                                                              "frameworks",
                                                                              "compression",
                                                                              "runs",
                                                                              "hardware/graphs",
                                                                              "hardware/fabrics",
                                                                              "failures",
                                                                              "storage",
                                                                              "prices",
                                                                              "energy",
                                                                              "data",
                                                                              "capacity",
                                                                              "hardware/calibrated",
                                                                              "sweeps"};
inline constexpr std::array<std::string_view, kConfigKinds> kConfigKindNames = {
    "model", "node",     "device",      "framework", "compression", "run",
    "graph", "fabric",   "failures",    "storage",   "prices",      "energy",
    "data",  "capacity", "calibration", "sweep"};

struct ConfigDirs {
  std::vector<std::string> directories;
};

// `from_flag` is that of --config-dir, "" without it. Errors: InputError where it is no directory.
ConfigDirs config_dirs(const std::string& from_flag);

bool is_path(const std::string& name);

// `beside` is the directory of the run file, "" for none.
std::optional<ConfigText> find_config(const ConfigDirs& dirs, ConfigKind kind,
                                      const std::string& name, const std::string& beside = "");

// Sorted, each once.
std::vector<std::string> config_names(const ConfigDirs& dirs, ConfigKind kind);

// validation/runs beside the first of the directories that has one, sorted.
std::vector<std::string> validation_files(const ConfigDirs& dirs);

// A file of validation/ beside the first of the directories that has it; "" where none has.
std::string validation_file(const ConfigDirs& dirs, const std::string& name);

ConfigLookup config_lookup(const ConfigDirs& dirs, const std::string& beside = "");

}  // namespace orrery
