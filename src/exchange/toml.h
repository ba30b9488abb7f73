// SPDX-License-Identifier: Apache-2.0
//
// TOML as JSON, read by toml++: a date, inf and nan become text.
//
// Errors: InputError with file, line and column.
#pragma once

#include <string>
#include <string_view>

#include "core/json.h"

namespace orrery {

Json read_toml(std::string_view text, const std::string& file);

// A "[table]" alone in its line, or `a.b = value` first, and no line of a shell's.
bool begins_as_toml(std::string_view text);

}  // namespace orrery
