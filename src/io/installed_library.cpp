// SPDX-License-Identifier: Apache-2.0
#include "io/config_dirs.h"
#include "orrery/orrery.h"

namespace orrery {
namespace {

ConfigKind kind_of(DocumentKind kind) {
  switch (kind) {
    case DocumentKind::model:
      return ConfigKind::model;
    case DocumentKind::node:
      return ConfigKind::node;
    case DocumentKind::device:
      return ConfigKind::device;
    case DocumentKind::framework:
    case DocumentKind::accuracy:  // has no folder; handled above
      return ConfigKind::framework;
    case DocumentKind::compression:
      return ConfigKind::compression;
    case DocumentKind::graph:
      return ConfigKind::graph;
    case DocumentKind::fabric:
      return ConfigKind::fabric;
  }
  return ConfigKind::model;
}

}  // namespace

Library installed_library(const std::string& directory) {
  const ConfigDirs dirs = config_dirs(directory);
  Library library;
  library.find = [dirs](DocumentKind kind, const std::string& name) -> std::optional<Document> {
    const auto found = kind == DocumentKind::accuracy ? config_lookup(dirs).accuracy()
                                                      : find_config(dirs, kind_of(kind), name);
    if (!found) return {};
    return Document{found->text, found->file};
  };
  library.names = [dirs](DocumentKind kind) {
    return kind == DocumentKind::accuracy ? std::vector<std::string>{"accuracy"}
                                          : config_names(dirs, kind_of(kind));
  };
  return library;
}

}  // namespace orrery
