// SPDX-License-Identifier: Apache-2.0
//
// The source of models, nodes, devices, frameworks, runs and the like: handed in as three
// functions, so that the engine knows no files. io has them for folders (io/config_dirs.h);
// builtin_configs() are those built into the binary, so that one file works alone, under their
// names of the source tree: "configs/models/llama-3-8b.json".
//
// A document has a name in the folder of its kind. A name that ends in .json or holds a '/' is the
// path of a user's own file instead.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "estimate/config_lookup.h"

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
  // Named by a capacity plan; and plans.
  failures,
  recovery,
  storage,
  prices,
  energy,
  data,
  capacity,
  calibration,
  sweep,
  tool,
  engine,
  network_switch,
  fleet
};

constexpr EnumNames<ConfigKind> names_of(ConfigKind) {
  return {"model",    "node",        "device",   "framework", "compression", "run",    "graph",
          "fabric",   "failures",    "recovery", "storage",   "prices",      "energy", "data",
          "capacity", "calibration", "sweep",    "tool",      "engine",      "switch", "fleet"};
}
// Folders below configs/, by kind.
inline constexpr EnumArray<ConfigKind, std::string_view> kConfigFolders = {
    "models",      "hardware/nodes", "hardware/devices", "frameworks",
    "compression", "runs",           "hardware/graphs",  "hardware/fabrics",
    "failures",    "recovery",       "storage",          "prices",
    "energy",      "data",           "capacity",         "hardware/calibrated",
    "sweeps",      "tools",          "engines",          "switches",
    "fleets"};

// May be asked from several threads at once.
struct ConfigSource {
  // A file of the tree that holds configs/ and validation/: "configs/models/llama-3-8b.json".
  std::function<std::optional<ConfigText>(const std::string& file)> read;
  // The .json files of a folder of that tree, without their ending, sorted, each once.
  std::function<std::vector<std::string>(const std::string& folder)> list;
  // A user's own file by its path. Nothing: there is none. Unset: there are no files. Errors:
  // InputError that says why one cannot be read.
  std::function<std::optional<ConfigText>(const std::string& path)> open;
  // Resolved models, clusters and frameworks that questions share; null: none are kept.
  std::shared_ptr<CachedParts> parts;
};

bool is_path(const std::string& name);
std::string directory_of(const std::string& path);  // "" of a bare name

// `beside` is the directory of the document that has the name; "" for none.
std::optional<ConfigText> find_config(const ConfigSource& source, ConfigKind kind,
                                      const std::string& name, const std::string& beside = "");
// The same of a name that stands at `path` of `file`. Errors: InputError where there is none.
ConfigText required_config(const ConfigSource& source, ConfigKind kind, const std::string& name,
                           const std::string& file, const std::string& path);

std::vector<std::string> config_names(const ConfigSource& source, ConfigKind kind);

// Published runs, as files of the tree, sorted.
std::vector<ConfigText> published_files(const ConfigSource& source);
std::optional<ConfigText> validation_file(const ConfigSource& source, const std::string& name);

ConfigLookup config_lookup(const ConfigSource& source, const std::string& beside = "");

// Opens no user's files.
ConfigSource builtin_configs();

// `first`, and where it has no such document, the ones built in. Files are those of `first`.
ConfigSource with_builtin_configs(ConfigSource first);

// Documents are read once, and what they are resolved to is kept. A user's own files may change
// between two questions, so that they are kept for the length of one question only.
enum class KeptPaths : std::uint8_t { no, yes };

ConfigSource kept(ConfigSource source, KeptPaths paths);

}  // namespace orrery
