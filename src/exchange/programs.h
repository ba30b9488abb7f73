// SPDX-License-Identifier: Apache-2.0
//
// Programs that a script starts, as far as they may train: a Python file, the module behind -m, or
// a script or binary that is not given. Commands that prepare a job (module, conda, echo, srun
// hostname, preprocess_data.py) are none. Errors: those of exchange/shell.
#pragma once

#include <string>
#include <vector>

#include "exchange/foreign_file.h"
#include "exchange/left_over.h"
#include "exchange/shell/shell.h"

namespace orrery {

struct StartedProgram {
  std::string name;                // "train.py", "torchtitan.train", "$CMD"
  std::vector<std::string> words;  // behind it
  bool marked = true;              // as a program: by Python, a script or its own flags
};

std::vector<StartedProgram> started_programs(const ForeignFile& script, const ShellFiles& scripts);

// The command of a program that no reader knows, beside given settings. Where it names one of their
// files, each other argument is listed, and refused if it may change memory or time. Otherwise the
// whole command is refused.
std::vector<LeftOver> unread_command(const StartedProgram& program,
                                     const std::vector<ForeignFile>& given);

// True of programs that prepare data, convert checkpoints or generate text, by their names.
bool trains_nothing(const std::string& program);

// The place of a Python file, or of the module behind -m; the number of words where there is none.
std::size_t place_of_python(const std::vector<std::string>& words);

}  // namespace orrery
