// SPDX-License-Identifier: Apache-2.0
//
// Flags that write keys of a request: `--trace-ranks all` sets "trace_ranks". The request must
// outlive the parse.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "engine/options.h"

namespace orrery {

// A flag, or a word in its place.
void add_option(CLI::App& app, Json& request, const Option& option);

// "-" is a file, anything else a name or path that the engine looks up.
Json named_or_input(const std::string& name);

// True where a flag of the run, --set or --observed was given.
bool has_run_flags(const Json& request);

}  // namespace orrery
