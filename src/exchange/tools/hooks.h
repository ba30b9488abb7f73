// SPDX-License-Identifier: Apache-2.0
//
// Code for what rows of a tool's file cannot express, by name: a rule's `hook`, with its
// `parameters`. A hook of another tool's settings sees those that the parameter `names` gives it,
// theirs → its own ("not NAME" turns a switch round), over those that `with` states, its own →
// value. Errors: InputError for settings whose values are wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "exchange/foreign_file.h"
#include "exchange/settings.h"

namespace orrery::trainer {
class Facts;
}

namespace orrery::tools {

struct HookCall {
  Settings& settings;
  trainer::Facts& facts;
  const ForeignFile& file;
  const Json& parameters;
  bool defaults_hold = true;  // the tool's own, where a setting is not given
};

using Hook = void (*)(HookCall& call);

Hook find_hook(std::string_view name);  // nullptr for none
std::vector<std::string> hook_names();

}  // namespace orrery::tools
