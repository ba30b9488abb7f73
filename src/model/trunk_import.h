// SPDX-License-Identifier: Apache-2.0
//
// A config.json of diffusers (_class_name), or of transformers for a model that is no text decoder,
// to a model with a trunk (model/trunk_families.h). A key that the file leaves out takes the
// default of its class and is listed in `assumed`. Errors: InputError, with the path as the file
// writes it; a class that no row knows is refused by name.
#pragma once

#include "core/json_fwd.h"
#include "model/architecture_json.h"
#include "model/model_draft.h"

namespace orrery {

// True where the document is such a file: of diffusers, or of a family with a row.
bool is_trunk_config(const Json& document);

ModelDescription read_trunk_config(const Json& document, const KeyNames& names);

}  // namespace orrery
