// SPDX-License-Identifier: Apache-2.0
//
// The answer of one command.
#pragma once

#include <string>
#include <vector>

#include "engine/exit_code.h"

namespace orrery {

struct NamedText {
  std::string name = {};
  std::string text = {};
};

struct CommandAnswer {
  ExitCode code = ExitCode::answer;
  std::string text = {};                   // in the format that was asked for
  std::vector<NamedText> files = {};       // further documents: pages, traces, configs
  std::vector<std::string> warnings = {};  // one line each
  std::vector<std::string> broken = {};  // bounds of `validate`, where the code is out_of_tolerance
  bool is_rows = false;                  // lines of JSON or CSV, never one document
  std::string error = {};                // one line where the code is `wrong_input` or `fault`
};

}  // namespace orrery
