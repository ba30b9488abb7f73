// SPDX-License-Identifier: Apache-2.0
//
// Files of tools whose rules give another tool's settings (tools::Tool::speaks). Errors: InputError
// for YAML, and as exchange/tools/tool_run.h.
#pragma once

#include "exchange/import_files.h"

namespace orrery::tools {

// `format`: of the files, which says among which tools they are recognised.
NamedSettings read_named(const std::vector<ForeignFile>& files, ForeignFormat format,
                         ImportJob& job);

// Settings that are variables of scripts, which run in the order of the files; a file that sources
// others stands after them.
NamedSettings read_variables(const std::vector<ForeignFile>& files, ForeignFormat format,
                             ImportJob& job);

}  // namespace orrery::tools
