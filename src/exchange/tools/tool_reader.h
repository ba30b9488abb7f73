// SPDX-License-Identifier: Apache-2.0
//
// configs/tools/NAME.json to a Tool (exchange/tools/tool.h, which has the form), with those it
// inherits.
#pragma once

#include <optional>
#include <string>

namespace orrery {
struct ConfigLookup;
}

namespace orrery::tools {

struct Tool;

// Nothing for an unknown name. Errors: InputError with the file and the path for a malformed file.
std::optional<Tool> tool_named(const std::string& name, const ConfigLookup& lookup);

}  // namespace orrery::tools
