// SPDX-License-Identifier: Apache-2.0
//
// Simple commands: assignments, words, redirections; and what functions are called with.
#include <algorithm>

#include "exchange/shell/cursor.h"
#include "exchange/shell/evaluate.h"
#include "exchange/text_lines.h"

namespace orrery::shell {
namespace {

constexpr std::int64_t kMostMembers = 4096;

// NAME[key]=value: a member by its number, or by its key.
void set_member(const std::string& name, const Word& key, Text value, Evaluation& state) {
  const Variable* old = state.variables.find(name);
  Variable all = old == nullptr ? Variable() : *old;
  const Numbers index = expanded_numbers(key, state);
  if (index.size() == 1 && index[0] >= 0 && index[0] < kMostMembers) {
    const auto at = static_cast<std::size_t>(index[0]);
    // Members before it that nothing has set are no words.
    all.members.resize(std::max(all.members.size(), at + 1), unknown("", Why::more, {""}));
    all.members[at] = std::move(value);
  } else {
    all.keyed[written(expanded_text(key, state))] = std::move(value);
  }
  state.variables.set(name, std::move(all));
}

// True of what a program prints, unquoted: $(hostnames) is any number of members.
bool may_be_several(const Text& field, const Word& word) {
  const bool printed = std::any_of(field.begin(), field.end(), [](const Piece& p) {
    return p.why == Why::computed && p.choices.empty();
  });
  return printed && std::any_of(word.parts.begin(), word.parts.end(), [](const WordPart& p) {
           return p.kind != WordPart::Kind::literal && !p.quoted;
         });
}

void assign_array(const ShellAssignment& a, Evaluation& state) {
  std::vector<Text> members;
  for (const ShellElement& e : a.elements) {
    if (e.keyed) continue;
    for (Text& field : expanded_fields(e.value, state)) {
      const bool open = may_be_several(field, e.value);
      members.push_back(std::move(field));
      if (open) members.push_back(unknown("", Why::more));
    }
  }
  a.adds ? state.variables.extend(a.name, std::move(members))
         : state.variables.set(a.name, Variable{std::move(members)});
  for (const ShellElement& e : a.elements) {
    if (e.keyed) set_member(a.name, e.key, expanded_text(e.value, state), state);
  }
}

// The name and the rest of "NAME+=…" and "NAME++" of arithmetic.
struct NumberChange {
  std::string name;
  std::string right;  // what it becomes; "" where it does not change
};

NumberChange change_of(std::string_view text) {
  text = trimmed(text);
  const bool before = begins_with(text, "++") || begins_with(text, "--");
  if (before) return {std::string(text.substr(2)), std::string(text.substr(2)) + text[0] + "1"};
  const std::size_t end = end_of_name(text, 0);
  const std::string name(text.substr(0, end));
  const std::string_view rest = trimmed(text.substr(end));
  if (name.empty()) return {};
  if (rest == "++" || rest == "--") return {name, name + rest[0] + "1"};
  if (begins_with(rest, "=") && !begins_with(rest, "=="))
    return {name, std::string(rest.substr(1))};
  const bool changes = rest.size() > 1 && rest[1] == '=' &&
                       std::string_view("+-*/%").find(rest[0]) != std::string_view::npos;
  if (!changes) return {};
  return {name, name + rest[0] + "(" + std::string(rest.substr(2)) + ")"};
}

Numbers numbers_of_text(const std::string& text, Evaluation& state) {
  return expanded_numbers({text, {{WordPart::Kind::literal, true, text}}}, state);
}

// The redirections of a command, in the order in which they stand.
void redirect(const Statement& command, Call& call, Evaluation& state) {
  for (const Redirection& r : command.redirections) {
    const bool text = r.kind == Redirection::Kind::text || r.kind == Redirection::Kind::document;
    if (text) call.input = expanded_text(r.word, state);
    if (r.kind == Redirection::Kind::document) state.line = r.line;
    if (r.kind == Redirection::Kind::text) append(*call.input, "\n");
    if (r.kind == Redirection::Kind::output) call.target = written(expanded_text(r.word, state));
  }
}

}  // namespace

void forget(const std::string& name, Evaluation& state) {
  state.variables.set(name, unknown("${" + name + "}"));
}

void assign(const ShellAssignment& a, Evaluation& state) {
  if (a.is_array) return assign_array(a, state);
  Text value = expanded_text(a.value, state);
  if (a.keyed) return set_member(a.name, a.key, std::move(value), state);
  const Variable* old = state.variables.find(a.name);
  if (a.adds && old != nullptr && !old->members.empty()) {
    Text all = old->members[0];
    append(all, value);
    value = std::move(all);
  }
  state.spend(written(value).size());
  state.variables.set(a.name, std::move(value));
}

Numbers assign_number(const std::string& text, Evaluation& state) {
  const NumberChange change = change_of(text);
  if (change.name.empty()) return numbers_of_text(text, state);
  const Numbers n = numbers_of_text(change.right, state);
  std::vector<std::string> values;
  for (const std::int64_t x : n) values.push_back(std::to_string(x));
  state.variables.set(change.name, one_of(std::move(values), "${" + change.name + "}"));
  return n;
}

Status run_simple(const Simple& simple, const Statement& command, Evaluation& state, Pipe* input,
                  Pipe* output) {
  Call call;
  call.output = output;
  if (input != nullptr) call.input = *input;
  for (const Item& item : simple.items) {
    if (item.assignment != nullptr) {
      assign(*item.assignment, state);
      continue;
    }
    for (Text& field : expanded_fields(item.word, state)) {
      call.words.push_back(written(field));
      call.fields.push_back(std::move(field));
    }
  }
  state.line = command.line;
  redirect(command, call, state);
  return call.words.empty() ? Status{true} : run_call(call, state);
}

Status call_function(const Statement& body, const std::vector<Text>& fields, Evaluation& state) {
  const Level level(state, 4);
  const Variable* arguments = state.variables.find(kArguments);
  const auto before = arguments == nullptr ? std::nullopt : std::optional(*arguments);
  state.variables.set(kArguments, Variable{{fields.begin() + 1, fields.end()}});
  Status status = run_command(body, state, nullptr, nullptr);
  state.variables.set(kArguments, before);
  if (status.leave != Leave::script) status = {status.truth, Leave::nothing, false, status.started};
  return status;
}

}  // namespace orrery::shell
