// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "cli/command.h"
#include "cli/input_lines.h"
#include "engine/answer.h"
#include "engine/command_engine.h"
#include "engine/config_source.h"
#include "io/files.h"

namespace orrery {

// Each line is answered before the next is read; a bad one is an answer too.
// NOLINTNEXTLINE(performance-unnecessary-value-param): as the table of commands has it
ExitCode run_call(Json /*request*/, const Session& s) {
  EngineHooks hooks = hooks_of(s);
  hooks.progress = nullptr;  // questions come from a program
  const CommandEngine engine(kept(configs_of(s), KeptPaths::no), std::move(hooks));
  for (std::string line; next_line(line);) {
    if (is_blank(line)) continue;
    write_text("-", answer_line(engine, line) + "\n");
  }
  return ExitCode::answer;
}

}  // namespace orrery
