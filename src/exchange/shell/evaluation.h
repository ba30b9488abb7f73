// SPDX-License-Identifier: Apache-2.0
//
// The state of a script that runs: its variables, functions, the commands it has started, and the
// work that is left to it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "exchange/shell/shell.h"
#include "exchange/shell/tree.h"
#include "exchange/shell/value.h"

namespace orrery::shell {

// The words of the function that runs, or of the script, "$1" and its kin; not set where a script
// is read as started by hand.
inline constexpr const char* kArguments = "@";

struct Evaluation {
  const ShellFiles& files;
  std::string file;
  std::size_t line = 1;
  Variables variables = {};
  std::map<std::string, std::shared_ptr<const Statement>, std::less<>> functions = {};
  ShellRun out = {};
  std::size_t outer = ShellCommand::kNone;  // the command that starts those that follow
  std::optional<Text> printed = {};         // by the commands of $( )
  std::size_t work = 0;                     // bytes of text made
  int depth = 0;                            // of commands and calls

  // Counts bytes; refuses more than a document may have. A command counts for its words too.
  void spend(std::size_t bytes);
  [[noreturn]] void fail(const std::string& found) const;
};

// One level of commands or calls while it lives; refuses the level beyond kDeepestNesting.
class Level {
 public:
  explicit Level(Evaluation& state, int levels = 1);
  ~Level() { state_.depth -= levels_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  Evaluation& state_;
  int levels_;
};

}  // namespace orrery::shell
