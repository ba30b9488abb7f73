// SPDX-License-Identifier: Apache-2.0
//
// The answer of one command, and the program's exit codes.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json_fwd.h"

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

// The text of an answer. That of a JSON document is written when it is first asked for, so that
// who wants a number of it, or to put it into another document, pays for no text. Copies share it;
// several threads may ask.
class AnswerText {
 public:
  AnswerText() : AnswerText(std::string()) {}
  AnswerText(std::string text);  // NOLINT(google-explicit-constructor): most answers are text
  // Errors: std::logic_error where a number in it is not finite.
  explicit AnswerText(Json document);

  const std::string& str() const;
  bool empty() const { return document() == nullptr && str().empty(); }
  const Json* document() const;  // null where the answer is other text

 private:
  struct Kept {
    GivenJson document;  // null where the answer is other text
    std::mutex mutex;
    std::string text;
  };
  std::shared_ptr<Kept> kept_;
};

struct CommandAnswer {
  ExitCode code = ExitCode::answer;
  AnswerText text = {};                    // in the format that was asked for
  std::vector<NamedText> files = {};       // further documents: pages, traces, configs
  std::vector<std::string> warnings = {};  // one line each
  std::vector<std::string> read = {};      // of other tools' files, by whose defaults
  std::vector<std::string> broken = {};    // why the code is none of an answer, one line each
  // The answer in a few lines, and the command that takes it from a file.
  std::vector<std::string> summary = {};
  std::string next = {};
  bool is_rows = false;                  // lines of JSON or CSV, never one document
  std::string error = {};                // one line where the code is `wrong_input` or `fault`
  std::optional<InputError> wrong = {};  // the same in parts, where a value is wrong
};

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace orrery
