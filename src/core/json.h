// SPDX-License-Identifier: Apache-2.0
//
// JSON text to a document, strictly: duplicate keys, trailing text, numbers beyond a double and
// nesting deeper than 64 are errors; // and /* */ comments are allowed. Key order is kept. A
// "$schema" at the top is for editors and left out.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/json_fwd.h"

namespace orrery {

// Throws InputError naming `file` and, where it can, the path.
Json parse_json(std::string_view text, const std::string& file);

// "8", "true", "[1, 2]" and {"a": 1} are JSON; "auto" and "80 GiB" are text.
Json json_or_text(const std::string& text);

// Short text of a value for an error message: 3.5, "abc", an object, …
std::string brief(const Json& value);

// The value as dump() writes it on one line, several times as fast; invalid UTF-8 is shown with
// replacement characters, a number that is not finite as null.
void append_json(const Json& value, std::string& text);

// A text without its quotes; any other value as JSON.
std::string bare_text(const Json& value);

// Objects merge key by key, recursively; anything else replaces. The rule of every override.
void merge_over(Json& base, const Json& change);

}  // namespace orrery
