// SPDX-License-Identifier: Apache-2.0
//
// The interpreter of a script: script.cpp has what branches and loops, command.cpp simple commands.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/shell/condition.h"
#include "exchange/shell/shell.h"
#include "exchange/shell/source.h"

namespace orrery::shell {

inline constexpr int kMostNested = 64;

template <std::size_t N>
bool is_one_of(const std::string& word, const std::string_view (&words)[N]) {
  for (const std::string_view w : words) {
    if (w == word) return true;
  }
  return false;
}

// How a part of the script is taken: run, in doubt, or only read over.
enum class Mode : std::uint8_t { run, doubt, skip };

struct State {
  const std::string& file;
  ShellRun run = {};
  std::map<std::string, std::string, std::less<>> functions = {};
  std::size_t written = 0;  // bytes of words
  std::string doubt = {};   // the condition in doubt, and its line
  std::size_t doubt_line = 0;
};

// The next text fills names, an array's members, or one name with all of it.
struct Reading {
  std::vector<std::string> names = {};
  bool array = false;
  bool lines = false;
  bool whole = false;
};

class Script {
 public:
  Script(State& state, std::string_view text, std::size_t line, int depth)
      : s_(state), text_(text, state.file, line), depth_(depth) {
    if (depth > kMostNested) text_.fail("commands nested deeper than 64");
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

  void part(Mode mode, Truth truth, std::size_t line, const char* what);

  void close(std::string_view word);

  void cases(Mode mode);

  Truth pattern(const std::string& value);

  void for_each(Mode mode);

  void loop_variable(const std::string& name, Mode mode);

  void body(Mode mode);

  void loop(Mode mode);

  void defines(const std::string& name, Mode mode);

  // [NAME=value]… command words… [redirections]
  Truth simple(Mode mode);

  bool ends_command();

  Truth function(const std::string& name, Mode mode);

  static bool declares(const std::vector<std::string>& words);

  // The length of NAME or NAME[key] in NAME=… and NAME+=…; 0 for other words.
  static std::size_t assigns(const std::string& word);

  void assign(const std::string& word, Mode mode);

  void assign_array(const std::string& name, bool adds, Mode mode);

  void set(const std::string& name, std::vector<std::string> values, Mode mode);

  // ${NAME:=value} in a word.
  void set_defaults(const std::string& word, Mode mode);

  // The name has a value that the script's text does not tell.
  void forget(const std::string& name) { s_.run.variables[name] = {"${" + name + "}"}; }

  // A name that a branch in doubt assigns becomes unknown, and its words are reported.
  void doubtful(const std::string& name, const std::vector<std::string>& values);

  void add_doubt(const std::vector<std::string>& words);

  void count(const std::vector<std::string>& words);

  void redirections();

  // > file, 2>&1, <<EOF, <<< word; whether there was one.
  bool redirection();

  // The 2 of 2>&1 is no word; the 2 of `-n 2 > log` is.
  bool followed_by_redirection();

  bool here_document();

  // A document for a shell is more script; any other is a file the script writes.
  void document(const HereDocument& d, Mode mode);

  Truth execute(std::vector<std::string>& words, Mode mode);

  // A function, with its words as $1, $2, …
  void call(const std::string& body, const std::vector<std::string>& words, Mode mode);

  void shift(const std::vector<std::string>& words);

  // read and mapfile, from <<< or <<.
  Truth read(const std::vector<std::string>& words, Mode mode);

  void fill(const std::string& text, Mode mode);

  // srun's nodes are the launcher's.
  void add_nodes(const std::vector<std::string>& words);

  void run_command(const std::vector<std::string>& words, Mode mode);

  // A member of an array that holds two words ("--fp8-format hybrid") is two.
  static void split(const std::string& word, std::vector<std::string>& out);

  State& s_;
  ScriptText text_;
  int depth_;
  std::string target_;
  std::string last_;
  std::optional<std::string> here_;  // of <<<
  Reading reading_;
};

}  // namespace orrery::shell
