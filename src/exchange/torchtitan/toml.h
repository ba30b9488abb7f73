// SPDX-License-Identifier: Apache-2.0
//
// The part of TOML that training configurations use: [tables], dotted keys, basic and literal
// strings, numbers with _, true, false, and arrays of those, over lines too. A key is given as
// "table.key". Refused by name: inline tables, arrays of tables, dates, multi-line strings.
//
// Errors: InputError with file and line.
#pragma once

#include <string>
#include <string_view>

#include "exchange/settings.h"

namespace orrery {

Settings read_toml(std::string_view text, const std::string& file);

}  // namespace orrery
