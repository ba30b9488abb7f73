// SPDX-License-Identifier: Apache-2.0
//
// Configs in folders.
//
// Directories laid out like configs/, in this order: --config-dir, each of $ORRERY_CONFIG_PATH
// (separated by ':'), then the first that is there of ../share/orrery/configs beside the program,
// the source tree it was built from, the place where that build installs. The first that has a name
// wins; validation/ is beside a directory. A relative path is from the working directory or, where
// there is no such file, from beside the run file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/config_source.h"

namespace orrery {

struct ConfigDirs {
  std::vector<std::string> directories;
};

// `from_flag` is that of --config-dir, "" without it. Errors: InputError where it is no directory.
ConfigDirs config_dirs(const std::string& from_flag);

// Reads files while it is asked; tells `on_read` of each.
ConfigSource folder_source(const ConfigDirs& dirs,
                           const std::function<void(const std::string& file)>& on_read = {});

}  // namespace orrery
