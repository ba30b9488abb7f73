// SPDX-License-Identifier: Apache-2.0
//
// The commands as tools for agents: what each takes as JSON Schema, made from the declarations of
// the command line and the table of keys, and its answer, bounded in size. A tool writes no file.
#pragma once

#include <string>

#include "cli/command.h"
#include "core/json.h"
#include "engine/hooks.h"

namespace orrery {

// nullptr: no such tool.
const Command* find_tool(const std::string& name);

// [{"name", "description", "inputSchema", "annotations"}]
Json tools();

// The values of a run file's key, by its path, as JSON Schema; {} for a document by name.
Json key_schema(const std::string& path);

// {"content": [{"type": "text", "text"}], "isError"}. Arguments are keys of a request; besides
// `format` is text (the default) or json, and `paths` are values of the JSON answer.
Json tool_answer(const Command& command, const Json& arguments, const CommandContext& context);

}  // namespace orrery
