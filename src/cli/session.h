// SPDX-License-Identifier: Apache-2.0
//
// The options that every command has. Carries a request to the engine, and its answer to files and
// standard output.
#pragma once

#include <string>

#include "core/json_fwd.h"
#include "engine/answer.h"

namespace orrery {

struct ConfigSource;  // engine/config_source.h
struct EngineHooks;   // engine/hooks.h

struct Session {
  bool json = false;
  bool csv = false;
  bool no_color = false;
  std::string output;  // -o; "" and "-": standard output
  std::string config_dir;
  bool quiet = false;
  int verbose = 0;

  bool to_file() const { return !output.empty() && output != "-"; }
};

// Configs of folders, then those built into the program; threads and signals of this process.
ConfigSource configs_of(const Session& s);
EngineHooks hooks_of(const Session& s);

// Puts the text into every {"file": path} of the request, "-" is standard input. Errors:
// InputError.
void read_inputs(Json& request);

// Adds `format` and `color` as the session's options say, unless the request has its own.
void dress(Json& request, const Session& s);

// To -o or standard output.
void give(const Session& s, const std::string& text);

// An answer with its files and warnings, or its error on stderr. A file that ends in .gz is packed.
// Errors: InputError where two files are one.
ExitCode give_answer(const Session& s, const CommandAnswer& answer);

// Asks the engine, with the texts of files and as the session's options say; `request` has them
// then.
CommandAnswer asked(const std::string& command, Json& request, const Session& s);

// Asks the engine and gives the answer.
ExitCode ask(const std::string& command, Json request, const Session& s);

}  // namespace orrery
