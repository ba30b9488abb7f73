// SPDX-License-Identifier: Apache-2.0
//
// TOML as settings, read by toml++: tables become keys with dots, "table.key", in the file's order;
// an array stays one value; a date, inf and nan become text.
//
// Errors: InputError with file, line and column.
#pragma once

#include <string>
#include <string_view>

#include "exchange/settings.h"

namespace orrery {

Settings read_toml(std::string_view text, const std::string& file);

}  // namespace orrery
