// SPDX-License-Identifier: Apache-2.0
//
// A configuration document for a person: every value by its path, beside where it comes from.
#pragma once

#include <string>

#include "core/json_fwd.h"
#include "document/table.h"

namespace orrery {

Table value_list(const Json& document);

// The document's own `source`, or "".
std::string source_line(const Json& document);

}  // namespace orrery
