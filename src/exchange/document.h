// SPDX-License-Identifier: Apache-2.0
//
// A file of settings as JSON, in whichever of YAML, JSON and TOML it is. Errors: InputError with
// file and line.
#pragma once

#include "core/json.h"
#include "exchange/foreign_file.h"

namespace orrery {

// No script: YAML, JSON or TOML, perhaps below a comment.
bool is_document(const ForeignFile& file);

Json read_document(const ForeignFile& file);

}  // namespace orrery
