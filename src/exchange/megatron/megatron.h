// SPDX-License-Identifier: Apache-2.0
//
// Megatron-LM's arguments to a run file: a launch script, a bare list of arguments, or the
// "arguments" that a training log begins with (exchange/foreign.h).
//
// A resolved run as a launch with Megatron-LM's arguments (exchange/megatron/names.h). Data,
// learning rate and checkpoints are the user's to add. Errors: none.
#pragma once

#include <string>

#include "estimate/resolve.h"
#include "exchange/arguments.h"
#include "exchange/import_files.h"

namespace orrery::megatron {

// Settings of a script, a list of arguments or a log, with the files that a script writes.
NamedSettings read_named(const ForeignFile& file);

// Other names to today's, and what the old ones mean.
void rename_settings(Settings& settings);

// Settings under Megatron-LM's names, whichever tool they come from.
ImportedRun import_named(NamedSettings named, ForeignFormat format, ImportJob& job);

// Its parts, in this order.
void read_model_of(ImportDraft& d);
void read_training_of(ImportDraft& d);
void read_parallel_of(ImportDraft& d);
void read_layout_of(ImportDraft& d);  // schedule, virtual stages, layers of each

// The arguments without the launcher.
ArgumentLines arguments_of(const ResolvedRun& resolved);

std::string export_run(const ResolvedRun& resolved);

}  // namespace orrery::megatron
