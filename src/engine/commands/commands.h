// SPDX-License-Identifier: Apache-2.0
//
// The commands: one function a command, one line each in commands.cpp. A function
// reads its options, calls done(), and answers. Errors: InputError and UsageError.
#pragma once

#include <span>
#include <string_view>

#include "engine/answer.h"
#include "engine/hooks.h"
#include "engine/request.h"

namespace orrery {

struct CommandRow {
  std::string_view name;
  CommandAnswer (*answer)(Request&, const CommandContext&);
};

std::span<const CommandRow> command_rows();

CommandAnswer answer_estimate(Request& request, const CommandContext& context);
CommandAnswer answer_memory(Request& request, const CommandContext& context);
CommandAnswer answer_explain(Request& request, const CommandContext& context);
CommandAnswer answer_list(Request& request, const CommandContext& context);
CommandAnswer answer_schema(Request& request, const CommandContext& context);
CommandAnswer answer_show(Request& request, const CommandContext& context);
CommandAnswer answer_comm(Request& request, const CommandContext& context);
CommandAnswer answer_collective(Request& request, const CommandContext& context);
CommandAnswer answer_compare(Request& request, const CommandContext& context);
CommandAnswer answer_simulate(Request& request, const CommandContext& context);
CommandAnswer answer_search(Request& request, const CommandContext& context);
CommandAnswer answer_capacity(Request& request, const CommandContext& context);
CommandAnswer answer_validate(Request& request, const CommandContext& context);
CommandAnswer answer_calibrate(Request& request, const CommandContext& context);
CommandAnswer answer_import(Request& request, const CommandContext& context);
CommandAnswer answer_export(Request& request, const CommandContext& context);
CommandAnswer answer_sweep(Request& request, const CommandContext& context);
CommandAnswer answer_merge(Request& request, const CommandContext& context);

// The words of `list`, `schema` and `show`, for help.
std::vector<std::string> listed_kinds();
std::vector<std::string> schema_names();
std::vector<std::string> shown_kinds();

}  // namespace orrery
