// SPDX-License-Identifier: Apache-2.0
//
// A value set in a document by its dotted path: "cluster.gpus".
#pragma once

#include <string>
#include <vector>

#include "core/json.h"

namespace orrery {

// "a.b.c" → a, b, c.
std::vector<std::string> path_keys(const std::string& path);

// Objects on the way are made where there are none. False where something else stands in the way.
bool set_at(Json& document, const std::string& path, const Json& value);

}  // namespace orrery
