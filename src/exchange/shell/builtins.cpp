// SPDX-License-Identifier: Apache-2.0
//
// Commands that a shell runs itself, and those of others whose words set nothing.
#include <algorithm>
#include <map>
#include <utility>

#include "exchange/shell/cursor.h"
#include "exchange/shell/evaluate.h"
#include "exchange/shell/scheduler.h"
#include "exchange/text_lines.h"

namespace orrery::shell {
namespace {

using Words = std::vector<std::string>;
using Rule = Status (*)(Call&, Evaluation&);

constexpr std::string_view kShells[] = {"bash", "sh",     "/bin/bash", "/bin/sh",
                                        "srun", "sbatch", "ssh"};

bool is_shell(const std::string& word) {
  return std::find(std::begin(kShells), std::end(kShells), word) != std::end(kShells);
}

Status succeeds(Call&, Evaluation&) { return {true}; }
Status fails(Call&, Evaluation&) { return {false}; }
Status tells_nothing(Call&, Evaluation&) { return {}; }

// A text of the script itself goes to the next command, or is what $( ) prints.
void print(Call& call, Text text, Evaluation& state) {
  if (call.output != nullptr) {
    *call.output = std::move(text);
  } else if (state.printed && !call.target) {
    append(*state.printed, text);
  }
}

void print_unknown(Call& call, Evaluation& state) {
  if (call.output == nullptr && !call.target) append(*state.printed, unknown(""));
}

Text joined(const Call& call, std::size_t first) {
  Text all;
  for (std::size_t i = first; i < call.fields.size(); ++i) {
    if (i > first) append(all, " ");
    append(all, call.fields[i]);
  }
  return all;
}

void add_document(const Call& call, const std::string& text, Evaluation& state) {
  state.spend(text.size());
  state.out.documents.push_back({call.target.value_or(""), text});
}

// `echo '{…}' > FILE` writes a file as `cat > FILE <<E` does.
Status echo(Call& call, Evaluation& state) {
  const bool option = call.words.size() > 1 && (call.words[1] == "-n" || call.words[1] == "-e");
  Text text = joined(call, option ? 2 : 1);
  if (call.target && first_character(written(text)) == '{')
    add_document(call, written(text), state);
  append(text, option && call.words[1] == "-n" ? "" : "\n");
  print(call, std::move(text), state);
  return {true};
}

// printf WORD, printf "%s\n" WORD; `printf -v NAME` sets it.
Status print_format(Call& call, Evaluation& state) {
  if (call.words.size() > 2 && call.words[1] == "-v")
    return forget(call.words[2], state), Status{true};
  const std::string format = call.words.size() > 1 ? call.words[1] : "";
  const bool plain = format == "%s" || format == "%s\\n" || format == "%d";
  if (call.target && first_character(call.words.back()) == '{')
    add_document(call, call.words.back(), state);
  if (plain && call.words.size() == 3) {
    print(call, call.fields[2], state);
  } else if (state.printed) {
    print_unknown(call, state);
  }
  return {true};
}

Status cat(Call& call, Evaluation& state) {
  if (call.input && call.words.size() == 1) {
    print(call, *call.input, state);
  } else if (state.printed) {
    print_unknown(call, state);
  }
  return {};
}

// seq LAST, seq FIRST LAST, seq FIRST STEP LAST
Status sequence(Call& call, Evaluation& state) {
  constexpr std::int64_t kMostNumbers = 4096;
  Numbers n;
  for (std::size_t i = 1; i < call.words.size(); ++i) {
    const Numbers x = is_known(call.fields[i]) ? number_in(call.words[i]) : Numbers();
    if (x.empty()) break;
    n.push_back(x[0]);
  }
  const bool read = !n.empty() && n.size() < 4 && n.size() + 1 == call.words.size();
  const std::int64_t first = n.size() > 1 ? n.front() : 1;
  const std::int64_t step = n.size() > 2 ? n[1] : 1;
  if (!state.printed) return {true};
  if (!read || step <= 0 || (n.back() - first) / step > kMostNumbers)
    return print_unknown(call, state), Status{true};
  std::string text;
  for (std::int64_t i = first; i <= n.back(); i += step) text += std::to_string(i) + "\n";
  print(call, known(text), state);
  return {true};
}

void print_number(const Text& expression, Call& call, Evaluation& state) {
  const auto choices = choices_of(expression);
  Words values;
  for (const std::string& c : choices.value_or(Words())) {
    const Numbers n = arithmetic(c, [](const std::string&) { return Numbers(); });
    if (n.size() != 1) return print_unknown(call, state);
    values.push_back(std::to_string(n[0]));
  }
  if (values.empty()) return print_unknown(call, state);
  print(call, one_of(std::move(values), written(expression)), state);
}

// expr 1 + 2
Status expression(Call& call, Evaluation& state) {
  if (state.printed) print_number(joined(call, 1), call, state);
  return {};
}

// echo "1 + 2" | bc
Status calculator(Call& call, Evaluation& state) {
  Text text = call.input.value_or(unknown(""));
  while (!text.empty() && text.back().text.ends_with('\n')) text.back().text.pop_back();
  if (state.printed) print_number(text, call, state);
  return {};
}

Status shift(Call& call, Evaluation& state) {
  const Variable* arguments = state.variables.find(kArguments);
  if (arguments == nullptr) return {true};
  std::vector<Text> all = arguments->members;
  const Numbers n = call.words.size() > 1 ? number_in(call.words[1]) : Numbers{1};
  const std::int64_t gone = n.empty() ? 0 : std::clamp<std::int64_t>(n[0], 0, std::ssize(all));
  all.erase(all.begin(), all.begin() + gone);
  state.variables.set(kArguments, Variable{std::move(all)});
  return {true};
}

Status let(Call& call, Evaluation& state) {
  for (std::size_t i = 1; i < call.words.size(); ++i) assign_number(call.words[i], state);
  return {};
}

// `set -- a b` gives the script its words.
Status set(Call& call, Evaluation& state) {
  if (call.words.size() > 1 && call.words[1] == "--")
    state.variables.set(kArguments, Variable{{call.fields.begin() + 2, call.fields.end()}});
  return {true};
}

Status unset(Call& call, Evaluation& state) {
  for (std::size_t i = 1; i < call.words.size(); ++i) {
    if (end_of_name(call.words[i], 0) == call.words[i].size())
      state.variables.set(call.words[i], Variable{});
  }
  return {true};
}

// `export "NAME=value"`: the assignment stands in quotes.
Status declare(Call& call, Evaluation& state) {
  for (std::size_t i = 1; i < call.words.size(); ++i) {
    const std::size_t equals = end_of_name(call.words[i], 0);
    if (equals == 0 || call.words[i].substr(equals, 1) != "=" || !is_known(call.fields[i]))
      continue;
    state.variables.set(call.words[i].substr(0, equals), known(call.words[i].substr(equals + 1)));
  }
  return {true};
}

Status get_options(Call&, Evaluation& state) {
  return {state.variables.find(kArguments) == nullptr ? Truth(false) : Truth()};
}

// The names that read and mapfile fill.
struct Reading {
  Words names;
  bool lines = false;  // mapfile
  bool array = false;
  bool whole = false;
};

// An option's last letter says whether a word belongs to it.
Reading reading_of(const Words& words) {
  Reading r;
  r.lines = words.front() != "read";
  const std::string_view with_words = r.lines ? "dnOsuCc" : "dnNtupi";
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& w = words[i];
    if (w.empty() || w.front() != '-') {
      r.names.push_back(w);
      continue;
    }
    r.array = r.array || (!r.lines && w.back() == 'a');
    r.whole = r.whole || w.find('d') != std::string::npos;
    if (with_words.find(w.back()) != std::string_view::npos) ++i;
  }
  if (r.names.empty()) r.names.emplace_back(r.lines ? "MAPFILE" : "REPLY");
  return r;
}

void fill_array(const std::string& name, const Words& values, Evaluation& state) {
  Variable all;
  for (const std::string& v : values) all.members.push_back(known(v));
  state.variables.set(name, std::move(all));
}

void fill_names(const Words& names, const Words& values, Evaluation& state) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string value = i < values.size() ? values[i] : "";
    for (std::size_t k = i + 1; i + 1 == names.size() && k < values.size(); ++k)
      value += " " + values[k];
    state.variables.set(names[i], known(value));
  }
}

void fill(const Reading& r, std::string text, Evaluation& state) {
  if (r.lines) {
    Words values;
    for (const std::string_view line : lines_of(text)) values.emplace_back(line);
    return fill_array(r.names.front(), values, state);
  }
  if (!r.whole) text = text.substr(0, text.find('\n'));
  const Variable* ifs = state.variables.find("IFS");
  const std::string apart = ifs == nullptr || ifs->members.empty() ? "" : written(ifs->members[0]);
  if (!apart.empty() && !r.whole) std::replace(text.begin(), text.end(), apart.front(), ' ');
  const Words values = split_words(text);
  r.array ? fill_array(r.names.front(), values, state) : fill_names(r.names, values, state);
}

Status read(Call& call, Evaluation& state) {
  const Reading r = reading_of(call.words);
  if (!call.input) {
    for (const std::string& name : r.names) forget(name, state);
    return {};
  }
  const auto text = choices_of(*call.input);
  if (text && text->size() == 1) return fill(r, text->front(), state), Status{true};
  if (r.whole && r.names.size() == 1)
    return state.variables.set(r.names[0], *call.input), Status{true};
  fill(r, written(*call.input), state);
  return {true};
}

Status source(Call& call, Evaluation& state) {
  if (call.words.size() > 1 && !include(call, 1, state)) state.out.sources.push_back(call.words[1]);
  return {true};
}

Status eval(Call& call, Evaluation& state) {
  run_text(written(joined(call, 1)), state);
  return {true};
}

Status leave_round(Call&, Evaluation&) { return {true, Leave::round}; }
Status leave_loop(Call&, Evaluation&) { return {true, Leave::loop}; }

// A branch that gives up a function with an error has no say either.
Status leave_function(Call& call, Evaluation& state) {
  const Numbers n = call.words.size() > 1 ? number_in(call.words[1]) : Numbers{0};
  const Truth truth = n.empty() ? Truth() : Truth(n[0] == 0);
  return {truth, truth == false && state.variables.in_branch() ? Leave::script : Leave::function};
}

// A branch that ends the script has no say in what follows; else a script is read as going on.
Status leave_script(Call&, Evaluation& state) {
  return {{}, state.variables.in_branch() ? Leave::script : Leave::nothing};
}

Status tee(Call& call, Evaluation& state) {
  if (call.words.size() > 1) call.target = call.words.back();
  start(call, state);
  return {true};
}

const std::map<std::string_view, Rule>& rules() {
  static const std::map<std::string_view, Rule> kRules = [] {
    std::map<std::string_view, Rule> all = {{"echo", echo},
                                            {"printf", print_format},
                                            {"cat", cat},
                                            {"seq", sequence},
                                            {"expr", expression},
                                            {"bc", calculator},
                                            {"shift", shift},
                                            {"let", let},
                                            {"set", set},
                                            {"unset", unset},
                                            {"getopts", get_options},
                                            {"read", read},
                                            {"mapfile", read},
                                            {"readarray", read},
                                            {"source", source},
                                            {".", source},
                                            {"eval", eval},
                                            {"continue", leave_round},
                                            {"break", leave_loop},
                                            {"exit", leave_script},
                                            {"return", leave_function},
                                            {"false", fails},
                                            {"tee", tee}};
    for (const char* name : {"export", "declare", "local", "readonly", "typeset"})
      all[name] = declare;
    // Preparations: `cd … && torchrun …` goes on.
    for (const char* name :
         {"true", ":",   "cd",      "mkdir", "rm",     "cp",    "mv",    "sleep", "wait",   "pip",
          "pip3", "apt", "apt-get", "git",   "module", "conda", "touch", "chmod", "ulimit", "trap"})
      all[name] = succeeds;
    for (const char* name :
         {"ls", "which", "kill", "nvidia-smi", "head", "tail", "grep", "sed", "awk"})
      all[name] = tells_nothing;
    return all;
  }();
  return kRules;
}

// Commands that print nothing.
bool is_quiet(const std::string& name) {
  constexpr std::string_view kQuiet[] = {"export", "declare", "local", "readonly", "typeset",
                                         "shift",  "return",  "true",  ":",        "set",
                                         "unset",  "read",    "let",   "break",    "continue"};
  return std::find(std::begin(kQuiet), std::end(kQuiet), name) != std::end(kQuiet);
}

bool prints_itself(const std::string& name) {
  constexpr std::string_view kPrint[] = {"echo", "printf", "cat", "seq", "expr", "bc"};
  return std::find(std::begin(kPrint), std::end(kPrint), name) != std::end(kPrint);
}

// A text that the command gets: a script for a shell, else a file that the script writes.
void take_document(const Call& call, const std::string& name, Evaluation& state) {
  if (!call.input || call.output != nullptr || name == "read" || name == "mapfile" ||
      name == "readarray" || (state.printed && !call.target))
    return;
  const std::string text = written(*call.input);
  if (!is_shell(name)) return add_document(call, text, state);
  read_scheduler(text, state.variables);
  run_text(text, state);
}

}  // namespace

// `conda run -n env torchrun …` starts a program; other commands of conda prepare one.
static bool runs_another(const std::vector<std::string>& words) {
  return words.size() > 1 && words[0] == "conda" && words[1] == "run";
}

Status run_call(Call& call, Evaluation& state) {
  const std::string name = call.words.front();
  const auto function = state.functions.find(name);
  if (function != state.functions.end()) {
    const auto body = function->second;
    return call_function(*body, call.fields, state);
  }
  const auto rule = rules().find(name);
  if (state.printed && !prints_itself(name) && !is_quiet(name)) print_unknown(call, state);
  Status status;
  if (rule != rules().end() && !runs_another(call.words)) {
    status = rule->second(call, state);
  } else {
    start(call, state);
    status.started = true;
  }
  take_document(call, name, state);
  return status;
}

std::optional<Text> printed_by(const List& commands, Evaluation& state) {
  // A substitution runs in its own process: its variables end with it.
  const std::size_t line = state.line;
  auto outer = std::exchange(state.printed, Text());
  ShellRun out = std::exchange(state.out, {});
  state.variables.begin();
  run_list(commands, state);
  state.variables.end();
  state.out = std::move(out);
  state.line = line;
  Text text = *std::exchange(state.printed, std::move(outer));
  const bool other = std::any_of(text.begin(), text.end(), [](const Piece& p) {
    return p.why != Why::known && p.text.empty();
  });
  if (other) return {};
  while (!text.empty() && text.back().why == Why::known) {
    std::string& last = text.back().text;
    last.erase(last.find_last_not_of(" \n") + 1);
    if (!last.empty()) break;
    text.pop_back();
  }
  return text;
}

}  // namespace orrery::shell
