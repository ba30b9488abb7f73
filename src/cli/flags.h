// SPDX-License-Identifier: Apache-2.0
//
// Flags that write keys of a request: `--trace-ranks all` sets "trace_ranks". The request must
// outlive the parse.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/session.h"
#include "engine/options.h"

namespace orrery {

// A flag, or a word in its place.
void add_option(CLI::App& app, Json& request, const Option& option);

// --html, of commands whose answer may be a page.
void declare_html(CLI::App& app, Json& request, const char* help);
// The format of the answer in its place. UsageError beside --json and --csv.
void take_html(Json& request, const Session& s);

// "-" is a file, anything else a name or path that the engine looks up.
Json named_or_input(const std::string& name);

// True where a flag of the run, --set or --observed was given.
bool has_run_flags(const Json& request);

}  // namespace orrery
