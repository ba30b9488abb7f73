// SPDX-License-Identifier: Apache-2.0
//
// A file of another tool through the tool's rules: its settings become facts, and each setting
// that no rule asks for is listed. Errors: InputError with file, setting, what was found and what
// is allowed.
#pragma once

#include "exchange/tools/tool.h"
#include "exchange/trainer/facts.h"

namespace orrery::tools {

// A file in YAML, JSON or TOML, or a script that starts the tool.
void read_with(const Tool& tool, const ForeignFile& file, trainer::Facts& facts);

// A document that is read already.
void read_with(const Tool& tool, Json document, const std::string& file, trainer::Facts& facts);

// Where settings stand that are not in a file of the tool's own.
struct SettingsOrigin {
  bool has_all = true;  // what they lack is as by default
  std::string of = {};  // the tool whose file they are from (`@program`)
};
void read_with(const Tool& tool, Settings settings, const SettingsOrigin& origin,
               trainer::Facts& facts);

}  // namespace orrery::tools
