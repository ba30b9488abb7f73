// SPDX-License-Identifier: Apache-2.0
//
// Values of the command line over those of a run file.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "estimate/config_lookup.h"

namespace orrery {

struct Override {
  std::string flag;  // as the user wrote it: "--tp 8"
  std::string path;  // "parallel.tp"
  Json value;
};

// The value is JSON, or else text.
Override make_override(const std::string& flag, const std::string& path, const std::string& value);

// "PATH=VALUE". Errors: InputError.
Override parse_set(const std::string& text);

void apply_override(const Override& o, const ConfigLookup& lookup, Json& run);

// The error with the flag in the file's place where an override gave the value it is about.
InputError named_after_flag(const InputError& e, const std::vector<Override>& overrides,
                            const std::string& run_file);

}  // namespace orrery
