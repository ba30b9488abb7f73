// SPDX-License-Identifier: Apache-2.0
//
// Finds models, nodes, devices, frameworks, compression schemes, runs and other configs by name.
//
// Directories laid out like configs/ are searched in this order: --config-dir, each of
// $ORRERY_CONFIG_PATH (separated by ':'), ../share/orrery/configs beside the program, the source
// tree of the build, its install directory. The first match wins. A name that ends in .json or
// contains a '/' is a path instead, relative to the working directory or, if there is no such file,
// to the run file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
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
  // Documents of a capacity plan, in the order of SiteKind; and plans.
  failures,
  storage,
  prices,
  energy,
  data,
  capacity,
  calibration,
  sweep
};
inline constexpr std::size_t kConfigKinds = kCountOf<ConfigKind>;
inline constexpr EnumTable<ConfigKind, std::string_view> kConfigFolders = {"models",
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
constexpr EnumNames<ConfigKind> names_of(ConfigKind) {
  return {"model", "node",     "device",      "framework", "compression", "run",
          "graph", "fabric",   "failures",    "storage",   "prices",      "energy",
          "data",  "capacity", "calibration", "sweep"};
}

struct ConfigDirs {
  std::vector<std::string> directories;
};

// `from_flag` is the value of --config-dir, "" without it. Errors: InputError if it is no
// directory.
ConfigDirs config_dirs(const std::string& from_flag);

bool is_path(const std::string& name);

// `beside` is the directory of the run file, "" for none.
std::optional<ConfigText> find_config(const ConfigDirs& dirs, ConfigKind kind,
                                      const std::string& name, const std::string& beside = "");

// Sorted, each once.
std::vector<std::string> config_names(const ConfigDirs& dirs, ConfigKind kind);

// The files of validation/runs beside the first directory that has it, sorted.
std::vector<std::string> validation_files(const ConfigDirs& dirs);

// A file of validation/ beside the first directory that has it; "" if none has.
std::string validation_file(const ConfigDirs& dirs, const std::string& name);

ConfigLookup config_lookup(const ConfigDirs& dirs, const std::string& beside = "");

}  // namespace orrery
