// SPDX-License-Identifier: Apache-2.0
//
// The answer of one command, and the program's exit codes.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.h"

namespace orrery {

enum class ExitCode : int {
  answer = 0,
  fault = 1,        // of Orrery's own
  wrong_input = 2,  // the input is wrong or illegal: one line on stderr
  no = 3,           // a sound question whose answer is no; the full answer is on stdout
  out_of_tolerance = 4,
  interrupted = 130,  // what was done is kept
};

struct NamedText {
  std::string name = {};
  std::string text = {};
};

struct CommandAnswer {
  ExitCode code = ExitCode::answer;
  std::string text = {};                   // in the format that was asked for
  std::vector<NamedText> files = {};       // further documents: pages, traces, configs
  std::vector<std::string> warnings = {};  // one line each
  std::vector<std::string> broken = {};    // why the code is none of an answer, one line each
  bool is_rows = false;                    // lines of JSON or CSV, never one document
  std::string error = {};                  // one line where the code is `wrong_input` or `fault`
  std::optional<InputError> wrong = {};    // the same in parts, where a value is wrong
};

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace orrery
