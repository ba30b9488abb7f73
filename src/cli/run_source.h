// SPDX-License-Identifier: Apache-2.0
//
// A run file with the flags over it, before it is resolved: for commands that resolve it otherwise
// than resolved_run() does, or many times.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/run_flags.h"
#include "engine/overrides.h"

namespace orrery {

struct RunSource {
  Json json;
  std::string file;
  ConfigLookup lookup;
};

// The flags and --set, in the order in which they go over the file.
std::vector<Override> overrides_of(const RunArguments& arguments);

// Calls use() with the run. Errors: InputError; where a flag brought the value that is wrong, it is
// named.
void use_run(const RunArguments& arguments, const Session& session,
             const std::function<void(const RunSource&)>& use);

}  // namespace orrery
