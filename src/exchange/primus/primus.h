// SPDX-License-Identifier: Apache-2.0
//
// AMD Primus's YAML: modules.pre_trainer with a module's defaults (config), a model file (model)
// and overrides, in that order; files that extend or include others, where these are given too, by
// their names. Keys are Megatron-LM's. The defaults of a file that is not given are unknown.
// Errors: InputError for YAML, and for files that include each other.
#pragma once

#include "exchange/import_files.h"

namespace orrery::primus {

NamedSettings read_named(const std::vector<ForeignFile>& files);

}  // namespace orrery::primus
