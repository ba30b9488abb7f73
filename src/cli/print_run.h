// SPDX-License-Identifier: Apache-2.0
//
// A resolved run as a run file or in another tool's words: for `export` and `search --print`.
#pragma once

#include <string>

#include "cli/session.h"
#include "estimate/resolve.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace orrery {

// --as, --print: "run" and the formats of exchange/foreign.h.
CLI::Option* add_print_option(CLI::App& app, const std::string& flag, std::string& format,
                              const std::string& help);

// `run` is the run file that `resolved` came from. What the format cannot say is listed: above the
// text, or on stderr where the format has no comments.
void print_run(const std::string& format, const ResolvedRun& resolved, const Json& run,
               const ConfigLookup& lookup, const Session& session);

}  // namespace orrery
