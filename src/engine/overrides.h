// SPDX-License-Identifier: Apache-2.0
//
// Keys of a run file, a cluster or a plan that a command line or a request sets: by flags of their
// own (core/keys.h; `--tp 8`, "tp": 8), by `set`. Errors: InputError.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "engine/request.h"
#include "estimate/config_lookup.h"

namespace orrery {

struct RunFlag {
  const char* name;
  std::string path;  // of the run file
  std::string help;
  std::string_view otherwise;  // what holds where it is not given; "": nothing
  std::string_view names;      // a kind of document whose names are its values: "node"; "": none
};

const std::vector<RunFlag>& run_flags();

struct Override {
  std::string flag;  // as the user wrote it: "--tp 8"
  std::string path;  // "parallel.tp"
  Json value;
};

Override make_override(const std::string& flag, const std::string& path, const std::string& value);

// "PATH=VALUE". Errors: InputError.
Override parse_set(const std::string& text);

void apply_override(const Override& o, const ConfigLookup& lookup, Json& run);

// The error with the flag in the file's place where an override gave the value it is about.
InputError named_after_flag(const InputError& e, const std::vector<Override>& overrides,
                            const std::string& run_file);

// An option `key` that sets `path`; nothing where it is absent. Errors: InputError.
std::optional<Override> given_override(Request& request, const std::string& key,
                                       const std::string& path);

// `set`: {"parallel.tp": 8}, or a list of PATH=VALUE. Errors: InputError.
std::vector<Override> given_sets(Request& request);

}  // namespace orrery
