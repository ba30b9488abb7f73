// SPDX-License-Identifier: Apache-2.0
#include "exchange/shell/shell.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "exchange/shell/cursor.h"
#include "exchange/shell/evaluate.h"
#include "exchange/shell/parse.h"
#include "exchange/shell/scheduler.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

constexpr std::size_t kFewArguments = 4;

bool is_argument(const std::string& word) { return word.compare(0, 2, "--") == 0; }

// A script that only sets variables for another one: their arguments are the run's.
void add_unused(ShellRun& run) {
  const auto n = std::count_if(run.words.begin(), run.words.end(), is_argument);
  if (n >= static_cast<std::ptrdiff_t>(kFewArguments)) return;
  const std::vector<std::string> commands = run.words;
  for (const auto& [name, values] : run.variables) {
    std::vector<std::string> words;
    for (const std::string& v : values) {
      for (std::string& w : shell::split_words(v)) words.push_back(std::move(w));
    }
    const bool used = std::all_of(words.begin(), words.end(), [&](const std::string& w) {
      return !is_argument(w) || std::find(commands.begin(), commands.end(), w) != commands.end();
    });
    if (used) continue;
    ShellCommand command{run.words.size(), run.words.size() + words.size()};
    run.words.insert(run.words.end(), words.begin(), words.end());
    run.words.emplace_back(";");
    run.commands.push_back(command);
  }
}

// Lines of NAME=value and --name value alone: settings taken out of a script, each for itself.
bool is_list(std::string_view text) {
  bool any = false;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view t = trimmed(line);
    if (t.empty() || t.front() == '#') continue;
    const std::size_t name = shell::end_of_name(t, 0);
    const bool assigns = name > 0 && t.substr(name, 1) == "=";
    if ((!assigns && t.substr(0, 2) != "--") || t.back() == '\\') return false;
    any = true;
  }
  return any;
}

// A line of a list that was cut off sets nothing, and is told of.
void run_list_of_settings(std::string_view text, shell::Evaluation& state) {
  for (const std::string_view line : lines_of(text)) {
    try {
      shell::run_script(*shell::parse_script(line, state.file, state.line, 0), state);
    } catch (const InputError&) {
      state.out.doubts.push_back({state.line, "cut off", shell::split_words(line)});
    }
    ++state.line;
  }
}

void set_given(const ShellVariables& given, shell::Variables& variables) {
  for (const auto& [name, values] : given) {
    shell::Variable all;
    for (const std::string& v : values) {
      const bool open = v.find('$') != std::string::npos;
      all.members.push_back(open ? shell::unknown(v) : shell::known(v));
    }
    variables.set(name, std::move(all));
  }
}

// Values as written; a variable that a branch in doubt sets has none.
ShellVariables values_of(const shell::Variables& variables) {
  ShellVariables out;
  for (const auto& [name, variable] : variables.all()) {
    const bool doubtful = variable.members.size() == 1 && variable.members[0].size() == 1 &&
                          variable.members[0][0].text.empty() &&
                          variable.members[0][0].why != shell::Why::known;
    if (doubtful) continue;
    std::vector<std::string>& values = out[name];
    for (const shell::Text& member : variable.members) {
      if (!shell::is_more(member)) values.push_back(shell::written(member));
    }
    for (const auto& [key, value] : variable.keyed)
      out[name + "[" + key + "]"] = {shell::written(value)};
  }
  return out;
}

void make_all_valid(std::vector<std::string>& texts) {
  for (std::string& text : texts) make_valid(text);
}

// Cut at a byte, a character is no text any more.
void make_all_valid(ShellRun& run) {
  make_all_valid(run.words);
  for (ShellDoubt& d : run.doubts) make_all_valid(d.words);
  for (auto& variable : run.variables) make_all_valid(variable.second);
  for (ShellDocument& d : run.documents) {
    make_valid(d.target);
    make_valid(d.text);
  }
}

}  // namespace

ShellRun run_shell(std::string_view written, const std::string& file, const ShellVariables& given,
                   const ShellFiles& files) {
  const std::string text = shell::with_placeholders(written);
  shell::Evaluation state{files, file};
  set_given(given, state.variables);
  shell::read_scheduler(text, state.variables);
  if (is_list(text)) {
    run_list_of_settings(text, state);
  } else {
    shell::run_script(*shell::parse_script(text, file, 1, 0), state);
  }
  state.out.variables = values_of(state.variables);
  add_unused(state.out);
  make_all_valid(state.out);
  return std::move(state.out);
}

std::vector<std::string> words_of(const ShellRun& run, const ShellCommand& command) {
  const auto at = [&](std::size_t i) { return run.words.begin() + static_cast<std::ptrdiff_t>(i); };
  return std::vector<std::string>(at(command.begin), at(command.end));
}

std::string shell_value(const ShellVariables& variables, std::string_view name) {
  const auto known = variables.find(name);
  return known == variables.end() || known->second.empty() ? "" : known->second.front();
}

}  // namespace orrery
