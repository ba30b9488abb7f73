// SPDX-License-Identifier: Apache-2.0
//
// A model's `trunk` (model/trunk_keys.h) to a Trunk and back, and what of it the rest of an
// Architecture says. Errors: InputError with file, path, what was found and what is allowed.
#pragma once

#include <string>

#include "core/json_fwd.h"
#include "model/architecture.h"

namespace orrery {

class Reader;

// `a` gets the trunk, and layers, widths, heads and pattern as it has them.
void read_trunk(const Reader& given, Architecture& a);

// The keys that differ from their defaults.
Json trunk_json(const Trunk& t);

// "joint", "cross", "parallel", …: a kind of layer of a trunk.
std::string trunk_layer_name(const TrunkLayer& layer);

}  // namespace orrery
