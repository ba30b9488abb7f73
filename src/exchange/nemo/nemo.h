// SPDX-License-Identifier: Apache-2.0
//
// NeMo 1's YAML, of the launcher and of recipes: trainer and model, with OmegaConf's references.
// Errors: InputError for YAML.
#pragma once

#include "exchange/import_files.h"

namespace orrery::nemo {

NamedSettings read_named(const std::vector<ForeignFile>& files);

}  // namespace orrery::nemo
