// SPDX-License-Identifier: Apache-2.0
//
// Megatron-LM's arguments to a run file: a launch script, a bare list of arguments, or the
// "arguments" that a training log begins with (exchange/foreign.h).
//
// A resolved run as a launch with Megatron-LM's arguments (configs/tools/megatron.json). Data,
// learning rate and checkpoints are the user's to add. Errors: none.
#pragma once

#include <string>

#include "exchange/arguments.h"
#include "exchange/import_files.h"
#include "exchange/shell/shell.h"
#include "exchange/tools/tool_book.h"

namespace orrery {
struct ResolvedRun;
}

namespace orrery::megatron {

// The file of rules, configs/tools/megatron.json.
const tools::Tool& own_tool(const tools::ToolBook& tools);

// Settings of a script, a list of arguments or a log, with the files that a script writes.
NamedSettings read_named(const ForeignFile& file, const ImportJob& job);

// Settings of the command that starts the training. Settings in which several such commands
// differ are left open. Commands before it count where they say how many GPUs there are.
NamedSettings settings_of_script(const tools::Tool& tool, const ShellRun& run,
                                 const std::string& file);

// Settings of another file. Where both files start a training, what they say differently is left
// open.
void add_training(const tools::Tool& tool, NamedSettings more, NamedSettings& all);

// Why a program of Megatron-LM trains no decoder of its arguments; null where it trains one.
const char* other_program(const std::string& program, const Settings& settings);

// Our key of a setting by whatever name; "" for none.
std::string key_of_given(const tools::Tool& tool, const ForeignSetting& s);

// Settings under Megatron-LM's names, whichever tool they come from.
ImportedRun import_named(NamedSettings named, ForeignFormat format, ImportJob& job);

// The arguments without the launcher.
ArgumentLines arguments_of(const ResolvedRun& resolved, const tools::ToolBook& tools);

std::string export_run(const ResolvedRun& resolved, const ConfigLookup& lookup);

}  // namespace orrery::megatron
