// SPDX-License-Identifier: Apache-2.0
//
// The config_*.sh of an MLPerf submission: variables that its scripts read (names.h), in the order
// of the files; a file that sources others stands after them. MINIBS sequences a replica and step.
// The model is known by MODEL_SIZE alone. Errors: InputError with the line of a script.
#pragma once

#include "exchange/import_files.h"

namespace orrery::mlperf {

NamedSettings read_named(const std::vector<ForeignFile>& files, const ShellFiles& scripts);

}  // namespace orrery::mlperf
