// SPDX-License-Identifier: Apache-2.0
//
// The law of an import: a run of another tool is whole only if its precision, states, recompute,
// sharding, batches, length and framework each come from a file, from a default of the tool that
// `assumed` names, or from the user. A key that none of them says is asked for; it is never filled
// in here. States may follow from a framework's profile, by which they are then named.
//
// Leaves out: files of a machine or of a model alone, which are no run. Errors: those of profiles.
#pragma once

#include <string>

#include "exchange/foreign.h"

namespace orrery {

// `imported` with the command line's keys over it: adds a question for each open key.
void ask_for_open_keys(ImportedRun& imported, const ConfigLookup& lookup);

// Names the tool, and the release where it is known, whose default stands for such a key.
void name_tool_of_defaults(ImportedRun& part);

}  // namespace orrery
