// SPDX-License-Identifier: Apache-2.0
//
// JSON where another text may stand as well: a value on a command line, an event of a trace, an
// answer of our own. parse_json() is for documents that must be JSON.
#pragma once

#include <optional>
#include <string_view>

#include "core/json.h"

namespace orrery {

// Nothing where the text is no JSON, holds more after it, or is beyond kDeepestWrapped or kMostKeys
// of core/limits.h: that is found before a tree is built. The last value of a key counts. Never
// throws but std::bad_alloc.
std::optional<Json> json_in(std::string_view text);

}  // namespace orrery
