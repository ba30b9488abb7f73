// SPDX-License-Identifier: Apache-2.0
//
// The settings of a command that starts a tool, as the document that its file would be: flags
// behind the program, and Hydra's overrides, over the files that a flag or words name. Words before
// the program are the launcher's: GPUs, and Accelerate's flags. A file that is named and not given
// is refused; the only TOML that is given is taken for it, since a script's own name is often a
// default.
#pragma once

#include <string>

#include "exchange/shell/shell.h"
#include "exchange/tools/tool.h"
#include "exchange/trainer/facts.h"

namespace orrery::tools {

struct OneCommand {
  Json document = Json::object();
  std::size_t line = 0;
};

struct CommandDocument {
  Json document = Json::object();     // of all commands that start the tool
  std::string program;                // "sft.py", "trl sft"; "" where no command starts the tool
  std::vector<OneCommand> each = {};  // in order; one for nearly all scripts
  ShellVariables variables = {};      // of the script, as they are at its end
  const Tool* launcher = nullptr;     // whose flags stand before the program
  Json launch = Json::object();
  bool has_file = false;     // a file of settings was read
  bool misses_file = false;  // the command, or what it names, is not given
};

CommandDocument command_document(const Tool& tool, const ForeignFile& script,
                                 trainer::Facts& facts);

}  // namespace orrery::tools
