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
using Rule = Status (*)(Call&, Machine&);

constexpr std::string_view kShells[] = {"bash", "sh",     "/bin/bash", "/bin/sh",
                                        "srun", "sbatch", "ssh"};

bool is_shell(const std::string& word) {
  return std::find(std::begin(kShells), std::end(kShells), word) != std::end(kShells);
}

Status succeeds(Call&, Machine&) { return {true}; }
Status fails(Call&, Machine&) { return {false}; }
Status tells_nothing(Call&, Machine&) { return {}; }

// A text of the script itself goes to the next command, or is what $( ) prints.
void print(Call& call, Text text, Machine& m) {
  if (call.output != nullptr) {
    *call.output = std::move(text);
  } else if (m.printed && !call.target) {
    append(*m.printed, text);
  }
}

void print_unknown(Call& call, Machine& m) {
  if (call.output == nullptr && !call.target) append(*m.printed, unknown(""));
}

Text joined(const Call& call, std::size_t first) {
  Text all;
  for (std::size_t i = first; i < call.fields.size(); ++i) {
    if (i > first) append(all, " ");
    append(all, call.fields[i]);
  }
  return all;
}

void add_document(const Call& call, const std::string& text, Machine& m) {
  m.spend(text.size());
  m.out.documents.push_back({call.target.value_or(""), text});
}

// `echo '{…}' > FILE` writes a file as `cat > FILE <<E` does.
Status echo(Call& call, Machine& m) {
  const bool option = call.words.size() > 1 && (call.words[1] == "-n" || call.words[1] == "-e");
  Text text = joined(call, option ? 2 : 1);
  if (call.target && first_character(written(text)) == '{') add_document(call, written(text), m);
  append(text, option && call.words[1] == "-n" ? "" : "\n");
  print(call, std::move(text), m);
  return {true};
}

// printf WORD, printf "%s\n" WORD; `printf -v NAME` sets it.
Status print_format(Call& call, Machine& m) {
  if (call.words.size() > 2 && call.words[1] == "-v") return forget(call.words[2], m), Status{true};
  const std::string format = call.words.size() > 1 ? call.words[1] : "";
  const bool plain = format == "%s" || format == "%s\\n" || format == "%d";
  if (call.target && first_character(call.words.back()) == '{')
    add_document(call, call.words.back(), m);
  if (plain && call.words.size() == 3) {
    print(call, call.fields[2], m);
  } else if (m.printed) {
    print_unknown(call, m);
  }
  return {true};
}

Status cat(Call& call, Machine& m) {
  if (call.input && call.words.size() == 1) {
    print(call, *call.input, m);
  } else if (m.printed) {
    print_unknown(call, m);
  }
  return {};
}

// seq LAST, seq FIRST LAST, seq FIRST STEP LAST
Status sequence(Call& call, Machine& m) {
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
  if (!m.printed) return {true};
  if (!read || step <= 0 || (n.back() - first) / step > kMostNumbers)
    return print_unknown(call, m), Status{true};
  std::string text;
  for (std::int64_t i = first; i <= n.back(); i += step) text += std::to_string(i) + "\n";
  print(call, known(text), m);
  return {true};
}

void print_number(const Text& expression, Call& call, Machine& m) {
  const auto choices = choices_of(expression);
  Words values;
  for (const std::string& c : choices.value_or(Words())) {
    const Numbers n = arithmetic(c, [](const std::string&) { return Numbers(); });
    if (n.size() != 1) return print_unknown(call, m);
    values.push_back(std::to_string(n[0]));
  }
  if (values.empty()) return print_unknown(call, m);
  print(call, one_of(std::move(values), written(expression)), m);
}

// expr 1 + 2
Status expression(Call& call, Machine& m) {
  if (m.printed) print_number(joined(call, 1), call, m);
  return {};
}

// echo "1 + 2" | bc
Status calculator(Call& call, Machine& m) {
  Text text = call.input.value_or(unknown(""));
  while (!text.empty() && text.back().text.ends_with('\n')) text.back().text.pop_back();
  if (m.printed) print_number(text, call, m);
  return {};
}

Status shift(Call& call, Machine& m) {
  const Variable* arguments = m.variables.find(kArguments);
  if (arguments == nullptr) return {true};
  std::vector<Text> all = arguments->members;
  const Numbers n = call.words.size() > 1 ? number_in(call.words[1]) : Numbers{1};
  const std::int64_t gone = n.empty() ? 0 : std::clamp<std::int64_t>(n[0], 0, std::ssize(all));
  all.erase(all.begin(), all.begin() + gone);
  m.variables.set(kArguments, Variable{std::move(all)});
  return {true};
}

Status let(Call& call, Machine& m) {
  for (std::size_t i = 1; i < call.words.size(); ++i) assign_number(call.words[i], m);
  return {};
}

// `set -- a b` gives the script its words.
Status set(Call& call, Machine& m) {
  if (call.words.size() > 1 && call.words[1] == "--")
    m.variables.set(kArguments, Variable{{call.fields.begin() + 2, call.fields.end()}});
  return {true};
}

Status unset(Call& call, Machine& m) {
  for (std::size_t i = 1; i < call.words.size(); ++i) {
    if (end_of_name(call.words[i], 0) == call.words[i].size())
      m.variables.set(call.words[i], Variable{});
  }
  return {true};
}

// `export "NAME=value"`: the assignment stands in quotes.
Status declare(Call& call, Machine& m) {
  for (std::size_t i = 1; i < call.words.size(); ++i) {
    const std::size_t equals = end_of_name(call.words[i], 0);
    if (equals == 0 || call.words[i].substr(equals, 1) != "=" || !is_known(call.fields[i]))
      continue;
    m.variables.set(call.words[i].substr(0, equals), known(call.words[i].substr(equals + 1)));
  }
  return {true};
}

Status get_options(Call&, Machine& m) {
  return {m.variables.find(kArguments) == nullptr ? Truth(false) : Truth()};
}

// What read and mapfile fill.
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

void fill_array(const std::string& name, const Words& values, Machine& m) {
  Variable all;
  for (const std::string& v : values) all.members.push_back(known(v));
  m.variables.set(name, std::move(all));
}

void fill_names(const Words& names, const Words& values, Machine& m) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string value = i < values.size() ? values[i] : "";
    for (std::size_t k = i + 1; i + 1 == names.size() && k < values.size(); ++k)
      value += " " + values[k];
    m.variables.set(names[i], known(value));
  }
}

void fill(const Reading& r, std::string text, Machine& m) {
  if (r.lines) {
    Words values;
    for (const std::string_view line : lines_of(text)) values.emplace_back(line);
    return fill_array(r.names.front(), values, m);
  }
  if (!r.whole) text = text.substr(0, text.find('\n'));
  const Variable* ifs = m.variables.find("IFS");
  const std::string apart = ifs == nullptr || ifs->members.empty() ? "" : written(ifs->members[0]);
  if (!apart.empty() && !r.whole) std::replace(text.begin(), text.end(), apart.front(), ' ');
  const Words values = split_words(text);
  r.array ? fill_array(r.names.front(), values, m) : fill_names(r.names, values, m);
}

Status read(Call& call, Machine& m) {
  const Reading r = reading_of(call.words);
  if (!call.input) {
    for (const std::string& name : r.names) forget(name, m);
    return {};
  }
  const auto text = choices_of(*call.input);
  if (text && text->size() == 1) return fill(r, text->front(), m), Status{true};
  if (r.whole && r.names.size() == 1) return m.variables.set(r.names[0], *call.input), Status{true};
  fill(r, written(*call.input), m);
  return {true};
}

Status source(Call& call, Machine& m) {
  if (call.words.size() > 1 && !include(call, 1, m)) m.out.sources.push_back(call.words[1]);
  return {true};
}

Status eval(Call& call, Machine& m) {
  run_text(written(joined(call, 1)), m);
  return {true};
}

Status leave_round(Call&, Machine&) { return {true, Leave::round}; }
Status leave_loop(Call&, Machine&) { return {true, Leave::loop}; }

// A branch that gives up a function with an error has no say either.
Status leave_function(Call& call, Machine& m) {
  const Numbers n = call.words.size() > 1 ? number_in(call.words[1]) : Numbers{0};
  const Truth truth = n.empty() ? Truth() : Truth(n[0] == 0);
  return {truth, truth == false && m.variables.in_branch() ? Leave::script : Leave::function};
}

// A branch that ends the script has no say in what follows; else a script is read as going on.
Status leave_script(Call&, Machine& m) {
  return {{}, m.variables.in_branch() ? Leave::script : Leave::nothing};
}

Status tee(Call& call, Machine& m) {
  if (call.words.size() > 1) call.target = call.words.back();
  start(call, m);
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
void take_document(const Call& call, const std::string& name, Machine& m) {
  if (!call.input || call.output != nullptr || name == "read" || name == "mapfile" ||
      name == "readarray" || (m.printed && !call.target))
    return;
  const std::string text = written(*call.input);
  if (!is_shell(name)) return add_document(call, text, m);
  read_scheduler(text, m.variables);
  run_text(text, m);
}

}  // namespace

Status run_call(Call& call, Machine& machine) {
  const std::string name = call.words.front();
  const auto function = machine.functions.find(name);
  if (function != machine.functions.end()) {
    const auto body = function->second;
    return call_function(*body, call.fields, machine);
  }
  const auto rule = rules().find(name);
  if (machine.printed && !prints_itself(name) && !is_quiet(name)) print_unknown(call, machine);
  Status status;
  if (rule != rules().end()) {
    status = rule->second(call, machine);
  } else {
    start(call, machine);
    status.started = true;
  }
  take_document(call, name, machine);
  return status;
}

std::optional<Text> printed_by(const List& commands, Machine& machine) {
  // A substitution runs in its own process: its variables end with it.
  const std::size_t line = machine.line;
  auto outer = std::exchange(machine.printed, Text());
  ShellRun out = std::exchange(machine.out, {});
  machine.variables.begin();
  run_list(commands, machine);
  machine.variables.end();
  machine.out = std::move(out);
  machine.line = line;
  Text text = *std::exchange(machine.printed, std::move(outer));
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
