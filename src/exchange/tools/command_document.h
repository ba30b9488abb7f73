// SPDX-License-Identifier: Apache-2.0
//
// The settings of a command that starts a tool, as the document that its file would be: flags
// behind the program, over the file that a flag or a word names. What stands before the program is
// the launcher's: GPUs, and Accelerate's flags. A file that is named and not given is refused.
#pragma once

#include <string>

#include "exchange/tools/tool.h"
#include "exchange/trainer/facts.h"

namespace orrery::tools {

struct CommandDocument {
  Json document = Json::object();
  std::string program;  // "sft.py", "trl sft"; "" where no command starts the tool
};

CommandDocument command_document(const Tool& tool, const ForeignFile& script,
                                 trainer::Facts& facts);

}  // namespace orrery::tools
