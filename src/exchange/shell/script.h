// SPDX-License-Identifier: Apache-2.0
//
// The interpreter of a script: script.cpp has what branches and loops, command.cpp simple commands.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/limits.h"
#include "exchange/shell/condition.h"
#include "exchange/shell/shell.h"
#include "exchange/shell/source.h"

namespace orrery::shell {

// Text that is read in all, loops and functions as often as they run.
inline constexpr std::size_t kMostRead = std::size_t{16} << 20;

inline constexpr std::string_view kShells[] = {"bash", "sh",     "/bin/bash", "/bin/sh",
                                               "srun", "sbatch", "ssh"};

template <std::size_t N>
bool is_one_of(const std::string& word, const std::string_view (&words)[N]) {
  for (const std::string_view w : words) {
    if (w == word) return true;
  }
  return false;
}

// How a part of the script is taken: run, in doubt, or only read over.
enum class Mode : std::uint8_t { run, doubt, skip };

// The part that break, continue and return leave: commands up to its end are only read over.
enum class Leave : std::uint8_t { nothing, round, loop, function };

// The values that a branch in doubt sets for sure, if it is taken, and those from before that they
// replace.
struct Branch {
  std::size_t line = 0;
  const char* what = "";
  std::map<std::string, std::vector<std::string>, std::less<>> values = {};
  std::map<std::string, std::vector<std::string>, std::less<>> replaced = {};
  std::set<std::string, std::less<>> assigned = {};
  bool exits = false;
};

struct State {
  const std::string& file;
  ShellRun run = {};
  std::map<std::string, std::string, std::less<>> functions = {};
  std::size_t written = 0;   // bytes of words
  std::size_t read = 0;      // bytes of text
  std::int64_t changes = 0;  // of variables
  std::string doubt = {};    // the condition in doubt, and its line
  std::size_t doubt_line = 0;
  const ShellFiles* files = nullptr;  // ShellRun's
  std::size_t outer = ShellCommand::kNone;
  int rounds = 0;  // of all loops
  int loops = 0;   // around the command
  int functions_in = 0;
  Leave leave = Leave::nothing;
  bool may_leave = false;  // a break in a branch in doubt
  Branch* branch = nullptr;
  bool surely = false;                      // whether the branch comes to the command
  std::optional<std::string> printed = {};  // by the function in $( )
  bool prints_unknown = false;
};

// The next text fills names, an array's members, or one name with all of it.
struct Reading {
  std::vector<std::string> names = {};
  bool array = false;
  bool lines = false;
  bool whole = false;
};

// Variables that "#SBATCH" lines and sbatch's own words set.
void read_scheduler(std::string_view text, ShellVariables& variables);
void read_scheduler_words(const std::vector<std::string>& words, ShellVariables& variables);

class Script {
 public:
  Script(State& state, std::string_view text, std::size_t line, int depth)
      : Script(state, text, state.file, line, depth) {}

  // A text of another file.
  Script(State& state, std::string_view text, const std::string& file, std::size_t line, int depth)
      : s_(state), text_(text, file, line), depth_(depth) {
    if (depth > kDeepestNesting) text_.fail("commands nested deeper than 64");
    add_read(text.size());
  }

  void run(Mode mode);

 private:
  template <class Run>
  auto in_part(Mode mode, std::size_t line, const std::string& condition, Run run) {
    if (mode != Mode::doubt || !s_.doubt.empty()) return run(mode);
    s_.doubt = condition;
    s_.doubt_line = line;
    auto result = run(mode);
    s_.doubt.clear();
    return result;
  }

  void add_read(std::size_t bytes) {
    s_.read += bytes;
    if (s_.read > kMostRead) text_.fail("loops and functions over more than 16 MiB of text");
  }

  // Up to a word that ends the part.
  void statements(Mode mode);

  static bool ends_part(const std::string& word);

  void skip_lines(Mode mode);

  // a && b || c
  void chain(Mode mode);

  Truth command(Mode mode);

  Truth command_by_word(Mode mode);

  Truth arithmetic_truth(Mode mode);

  // NAME=… and NAME+=… of (( )) and let; nothing where the text assigns no number.
  Truth assign_number(std::string_view text, Mode mode);

  Truth subshell(Mode mode);

  void group(Mode mode);

  Truth test();

  bool sign_of_test(std::vector<std::string>& words);

  Truth truth_of(const std::vector<std::string>& words) const;

  // The commands of a condition, and their truth.
  Truth condition(Mode mode, std::string_view end, std::string& written);

  Truth chain_truth(Mode mode);

  void if_else(Mode mode);

  void part(Mode mode, Truth truth, std::size_t line, const char* what, std::vector<Branch>& all);

  // Makes known the values that all branches set alike; `whole`: one of them is taken.
  void join(const std::vector<Branch>& all, bool whole);

  // Runs what the branch may not come to.
  template <class Run>
  auto perhaps(bool surely, Run run) {
    const bool before = s_.surely;
    s_.surely = before && surely;
    auto result = run();
    s_.surely = before;
    return result;
  }

  void close(std::string_view word);

  void cases(Mode mode);

  Truth pattern(const std::string& value);

  void for_each(Mode mode);

  // The words of `for NAME in …`; nothing where the text does not tell them.
  std::optional<std::vector<std::string>> loop_words();

  // One round for each word.
  void rounds(const std::string& name, const std::vector<std::string>& words, Mode mode);

  // for (( a; b; c ))
  void counting_loop(Mode mode);

  void body(Mode mode);

  // Runs the round; whether another one may follow.
  template <class Run>
  bool round(Mode mode, Run run);

  void loop(Mode mode);

  void defines(const std::string& name, Mode mode);

  // [NAME=value]… command words… [redirections]
  Truth simple(Mode mode);

  bool ends_command();

  Truth function(const std::string& name, Mode mode);

  // The word with variables in place of $(…) that call functions of the script.
  std::string with_printed(std::string word, Mode mode);

  // Returns what a function prints; nothing where another program's output is in it.
  std::optional<std::string> printed_by(const std::string& command);

  // A command inside of $( ): echo, and cat with a here-document, are known.
  void print(const std::vector<std::string>& words, Mode mode);

  static bool declares(const std::vector<std::string>& words);

  // The length of NAME or NAME[key] in NAME=… and NAME+=…; 0 for other words.
  static std::size_t assigns(const std::string& word);

  void assign(const std::string& word, Mode mode);

  void assign_array(const std::string& name, bool adds, Mode mode);

  void set(const std::string& name, std::vector<std::string> values, Mode mode);

  // ${NAME:=value} in a word.
  void set_defaults(const std::string& word, Mode mode);

  // The name has a value that the script's text does not tell.
  void forget(const std::string& name) {
    s_.run.variables[name] = {"${" + name + "}"};
    if (s_.branch != nullptr) s_.branch->values.erase(name);
  }

  // A name that a branch in doubt assigns becomes unknown, and its words are reported.
  void doubtful(const std::string& name, const std::vector<std::string>& values, bool whole = true);

  // The old value of a name may still hold.
  void replace_perhaps(const std::string& name, const std::vector<std::string>& old);

  // Words of names that one branch replaces and another one leaves are in doubt too.
  void report_replaced(const std::vector<Branch>& all, bool whole);

  void doubtful_more(const std::string& name, const std::vector<std::string>& more);

  std::optional<std::string> added_to_itself(const std::string& name, const std::string& right,
                                             const std::string& value) const;

  void add_doubt(const std::vector<std::string>& words);

  void count(const std::vector<std::string>& words);

  void redirections();

  // > file, 2>&1, <<EOF, <<< word; whether there was one.
  bool redirection();

  // The 2 of 2>&1 is no word; the 2 of `-n 2 > log` is.
  bool followed_by_redirection();

  bool here_document();

  // tee and echo, whose words name or are a file that the script writes.
  void write_document(const std::vector<std::string>& words, Mode mode);

  // A document for a shell is more script; any other is a file the script writes.
  void document(const HereDocument& d, Mode mode);

  Truth execute(std::vector<std::string>& words, Mode mode);

  // A function, with its words as $1, $2, …
  void call(const std::string& body, const std::vector<std::string>& words, Mode mode);

  void shift(const std::vector<std::string>& words);

  // read and mapfile, from <<< or <<.
  Truth read(const std::vector<std::string>& words, Mode mode);

  void fill(const std::string& text, Mode mode);

  // A given file that the command sources or starts; whether there was one.
  bool include(const std::vector<std::string>& words, std::size_t at, Mode mode);

  // Variables that sbatch keeps from its job.
  void forget_unexported(const std::vector<std::string>& words);

  // bash FILE, ./FILE, sbatch FILE: the place of FILE; nothing where it is not given.
  std::optional<std::size_t> started_file(const std::vector<std::string>& words) const;

  // break, continue and return.
  bool leaves(const std::string& word, Mode mode);

  // The place in ShellRun::commands; the word at `without` is left out, where that is not 0.
  std::size_t add_command(const std::vector<std::string>& words, std::size_t without);

  static std::size_t place_of_text(const std::vector<std::string>& words);

  // srun's nodes are the launcher's.
  void add_nodes(const std::vector<std::string>& words);

  void run_command(const std::vector<std::string>& words, Mode mode);

  // A member of an array that holds two words ("--fp8-format hybrid") is two.
  static void split(const std::string& word, std::vector<std::string>& out);

  State& s_;
  ScriptText text_;
  int depth_;
  std::string target_;
  bool redirected_ = false;  // the command's output goes to a file
  std::string last_;
  std::optional<std::string> here_;  // of <<<
  Reading reading_;
};

}  // namespace orrery::shell
