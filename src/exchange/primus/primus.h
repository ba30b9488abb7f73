// SPDX-License-Identifier: Apache-2.0
//
// AMD Primus's YAML: modules.pre_trainer with a module's defaults (config), a model file (model)
// and overrides, in that order; files that extend or include others, where these are given too, by
// their names. Keys are Megatron-LM's. The defaults of a file that is not given are unknown, and a
// file that none of the others names stops the import beside an experiment.
// Errors: InputError for YAML, for files that include each other, and for two experiments.
#pragma once

#include "exchange/import_files.h"

namespace orrery::primus {

NamedSettings read_named(const std::vector<ForeignFile>& files, const tools::ToolBook& tools);

}  // namespace orrery::primus
