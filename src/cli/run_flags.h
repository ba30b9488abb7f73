// SPDX-License-Identifier: Apache-2.0
//
// A run from a file, from flags, or from both: flags and --set go over the file.
//
// RUN is a name in configs/runs, a path, or "-" for standard input; without it the flags say it
// all. A value is JSON, or else text. --set model.KEY=… over a model given by name takes that
// model's own document as the start; the same for framework. --observed FILE sets `stack` from
// measured step times of the user's own (validate/observed.h).
#pragma once

#include <string>
#include <vector>

#include "cli/session.h"
#include "estimate/resolve.h"

namespace CLI {
class App;
}

namespace orrery {

struct RunFlag {
  const char* name;
  const char* path;  // of the run file
  const char* help;
};

struct RunArguments {
  std::string run;
  std::vector<std::string> sets;    // PATH=VALUE
  std::string observed;             // a file of measured step times
  std::vector<std::string> values;  // in the order of the table of flags; "" where not given
};

// Adds RUN, --set and the flags to a command; or all but RUN. `arguments` must outlive the parse.
void add_run_options(CLI::App& app, RunArguments& arguments);
void add_run_flags(CLI::App& app, RunArguments& arguments);

// Whether a flag or --set was given.
bool has_changes(const RunArguments& arguments);

// Errors: InputError; where a flag brought the value that is wrong, it is named.
ResolvedRun resolved_run(const RunArguments& arguments, const Session& session);

}  // namespace orrery
