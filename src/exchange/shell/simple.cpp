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
void set_member(const std::string& name, const Word& key, Text value, Machine& m) {
  const Variable* old = m.variables.find(name);
  Variable all = old == nullptr ? Variable() : *old;
  const Numbers index = expanded_numbers(key, m);
  if (index.size() == 1 && index[0] >= 0 && index[0] < kMostMembers) {
    const auto at = static_cast<std::size_t>(index[0]);
    // Members before it that nothing has set are no words.
    all.members.resize(std::max(all.members.size(), at + 1), unknown("", Why::more, {""}));
    all.members[at] = std::move(value);
  } else {
    all.keyed[written(expanded_text(key, m))] = std::move(value);
  }
  m.variables.set(name, std::move(all));
}

void assign_array(const Assignment& a, Machine& m) {
  const Variable* old = m.variables.find(a.name);
  Variable all = a.adds && old != nullptr ? *old : Variable();
  for (const Element& e : a.elements) {
    if (e.keyed) continue;
    for (Text& field : expanded_fields(e.value, m)) all.members.push_back(std::move(field));
  }
  m.variables.set(a.name, std::move(all));
  for (const Element& e : a.elements) {
    if (e.keyed) set_member(a.name, e.key, expanded_text(e.value, m), m);
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

Numbers numbers_of_text(const std::string& text, Machine& m) {
  return expanded_numbers({text, {{Part::Kind::literal, true, text}}}, m);
}

// The redirections of a command, in the order in which they stand.
void redirect(const Command& command, Call& call, Machine& m) {
  for (const Redirection& r : command.redirections) {
    const bool text = r.kind == Redirection::Kind::text || r.kind == Redirection::Kind::document;
    if (text) call.input = expanded_text(r.word, m);
    if (r.kind == Redirection::Kind::document) m.line = r.line;
    if (r.kind == Redirection::Kind::text) append(*call.input, "\n");
    if (r.kind == Redirection::Kind::output) call.target = written(expanded_text(r.word, m));
  }
}

}  // namespace

void forget(const std::string& name, Machine& machine) {
  machine.variables.set(name, unknown("${" + name + "}"));
}

void assign(const Assignment& a, Machine& machine) {
  if (a.is_array) return assign_array(a, machine);
  Text value = expanded_text(a.value, machine);
  if (a.keyed) return set_member(a.name, a.key, std::move(value), machine);
  const Variable* old = machine.variables.find(a.name);
  if (a.adds && old != nullptr && !old->members.empty()) {
    Text all = old->members[0];
    append(all, value);
    value = std::move(all);
  }
  machine.spend(written(value).size());
  machine.variables.set(a.name, std::move(value));
}

Numbers assign_number(const std::string& text, Machine& machine) {
  const NumberChange change = change_of(text);
  if (change.name.empty()) return numbers_of_text(text, machine);
  const Numbers n = numbers_of_text(change.right, machine);
  std::vector<std::string> values;
  for (const std::int64_t x : n) values.push_back(std::to_string(x));
  machine.variables.set(change.name, one_of(std::move(values), "${" + change.name + "}"));
  return n;
}

Status run_simple(const Simple& simple, const Command& command, Machine& machine, Pipe* input,
                  Pipe* output) {
  Call call;
  call.output = output;
  if (input != nullptr) call.input = *input;
  for (const Item& item : simple.items) {
    if (item.assignment != nullptr) {
      assign(*item.assignment, machine);
      continue;
    }
    for (Text& field : expanded_fields(item.word, machine)) {
      call.words.push_back(written(field));
      call.fields.push_back(std::move(field));
    }
  }
  machine.line = command.line;
  redirect(command, call, machine);
  return call.words.empty() ? Status{true} : run_call(call, machine);
}

Status call_function(const Command& body, const std::vector<Text>& fields, Machine& machine) {
  const Level level(machine, 4);
  const Variable* arguments = machine.variables.find(kArguments);
  const auto before = arguments == nullptr ? std::nullopt : std::optional(*arguments);
  machine.variables.set(kArguments, Variable{{fields.begin() + 1, fields.end()}});
  Status status = run_command(body, machine, nullptr, nullptr);
  machine.variables.set(kArguments, before);
  if (status.leave != Leave::script) status = {status.truth, Leave::nothing, false, status.started};
  return status;
}

}  // namespace orrery::shell
