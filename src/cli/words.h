// SPDX-License-Identifier: Apache-2.0
//
// The options of a command as data, read from the declarations that the command line parses by:
// for tools of agents and completions.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace orrery {

struct CommandWord {
  std::string key;   // of the request
  std::string flag;  // "--tp"; "" of a positional argument
  std::string type;  // of the value, as help has it: "FILE"
  std::string help;
  bool is_switch = false;
  bool many = false;  // a list of values
  bool file = false;  // the value is a file whose text goes into the request
};

// Without those that every command has.
std::vector<CommandWord> words_of(const Command& c);

}  // namespace orrery
