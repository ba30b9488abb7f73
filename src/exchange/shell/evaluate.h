// SPDX-License-Identifier: Apache-2.0
//
// The evaluation of a script's tree. A branch whose condition is unknown is evaluated for itself:
// its commands become doubts with the line of the condition, and the variables that it changes
// become one of the values that they have with it and without it.
//
// Left out: processes of their own (a subshell's variables stay), exit codes of programs (unknown),
// traps, aliases, and `exit`, which only ends a branch in doubt: a script is read as started well.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exchange/shell/evaluation.h"
#include "exchange/shell/expand.h"

namespace orrery::shell {

// The part that a command leaves: continue, break, return, exit.
enum class Leave : std::uint8_t { nothing, round, loop, function, script };

struct Status {
  Truth truth = {};
  Leave leave = Leave::nothing;
  bool perhaps = false;  // a branch in doubt leaves it
  bool started = false;  // a program of others: what follows it with && is run
};

// The text between two commands of a pipeline, or of $( ); nothing where it is unknown.
using Pipe = std::optional<Text>;

Status run_list(const List& list, Evaluation& state);
Status run_command(const Statement& command, Evaluation& state, Pipe* input, Pipe* output);
Status run_simple(const Simple& simple, const Statement& command, Evaluation& state, Pipe* input,
                  Pipe* output);

// A script's text at the present line: of `bash -c`, eval, a here-document.
void run_text(const std::string& text, Evaluation& state);
// A whole script, of whose commands none leaves it.
void run_script(const List& list, Evaluation& state);

// The words of an array or of an argument's list.
void assign(const ShellAssignment& assignment, Evaluation& state);
// NAME=… and NAME+=… of (( )) and let; the numbers of another expression.
Numbers assign_number(const std::string& text, Evaluation& state);
// The name has a value that the script's text does not tell.
void forget(const std::string& name, Evaluation& state);

// One command with the words that it gets.
struct Call {
  std::vector<Text> fields;
  std::vector<std::string> words;  // the same, as written
  Pipe input = {};
  Pipe* output = nullptr;                  // to the next command of a pipeline
  std::optional<std::string> target = {};  // the file that its output goes to
};

Status run_call(Call& call, Evaluation& state);
// A program, another script, or a text that is a script.
void start(const Call& call, Evaluation& state);
// A given file that the command sources or starts, by the place of its name among the words;
// whether there was one.
bool include(const Call& call, std::size_t at, Evaluation& state);
// A function ends what it leaves; only `exit` goes on.
Status call_function(const Statement& body, const std::vector<Text>& fields, Evaluation& state);

// The changes that a branch in doubt makes.
struct Branch {
  std::size_t line;
  const char* what;
  Changes after = {};
  Status status = {};
};

void add_doubt(std::size_t line, const char* what, const std::vector<std::string>& words,
               Evaluation& state);
Branch in_branch(std::size_t line, const char* what, Evaluation& state,
                 const std::function<Status()>& run);
// One of the branches is taken, or none; `whole`: one of them.
Status join(const std::vector<Branch>& branches, bool whole, Evaluation& state);

// A member of an array that holds two words ("--fp8-format hybrid") is two.
void split_argument(const std::string& word, std::vector<std::string>& out);

}  // namespace orrery::shell
