// SPDX-License-Identifier: Apache-2.0
//
// Values of a document by their dotted paths: "cluster.gpus".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json_fwd.h"

namespace orrery {

// "a.b.c" → a, b, c.
std::vector<std::string> path_keys(std::string_view path);

// Null where there is none.
const Json& value_at(const Json& document, std::string_view path);

// The same through lists too, by number: "best.0.strategy". nullptr where there is none.
const Json* find_within(const Json& document, std::string_view path);

// Makes objects on the way and finds elements of lists by number. False where another value stands.
bool set_at(Json& document, std::string_view path, Json value);

// True if `path` is `outer` or a key or element below it.
bool lies_at(std::string_view path, std::string_view outer);

void erase_at(Json& document, std::string_view path);

}  // namespace orrery
