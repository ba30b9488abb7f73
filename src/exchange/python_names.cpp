// SPDX-License-Identifier: Apache-2.0
#include "exchange/python_names.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/json_path.h"
#include "exchange/assumptions.h"
#include "exchange/python_statements.h"
#include "exchange/text_lines.h"
#include "exchange/yaml.h"

namespace orrery {
namespace {

// The names between two words of a statement: "for a, b in", "with f() as a:".
std::vector<std::string> names_between(const std::string& text, std::string_view begin,
                                       std::string_view end) {
  std::vector<std::string> names;
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) return names;
  const std::size_t first = at + begin.size();
  std::string list = text.substr(first, text.find(end, first) - first);
  std::replace_if(
      list.begin(), list.end(), [](char c) { return c == '(' || c == ')'; }, ' ');
  for (const std::string& name : PythonText(list).expressions(0)) {
    if (is_python_name(name)) names.push_back(name);
  }
  return names;
}

// "name" of "name.append(x)" and "name[0] = x"; "" of another statement.
std::string changed_name(const std::string& text) {
  constexpr std::array<std::string_view, 9> kChanges = {".append(", ".extend(",     ".insert(",
                                                        ".remove(", ".pop(",        ".clear(",
                                                        ".update(", ".setdefault(", ".sort("};
  std::size_t end = 0;
  while (end < text.size() && is_name_sign(text[end])) ++end;
  const std::string_view behind = std::string_view(text).substr(end);
  const bool changes = std::any_of(kChanges.begin(), kChanges.end(),
                                   [&](std::string_view c) { return begins_with(behind, c); });
  const bool sets_item = begins_with(behind, "[") && python_assignment(text).has_value();
  return changes || sets_item ? text.substr(0, end) : "";
}

}  // namespace

void ProgramNames::read(const PythonText& code, const Settings* arguments) {
  names_.stand_for_themselves = false;
  if (arguments != nullptr) read_arguments(code, *arguments);
  functions_ = code.functions();
  for (const PythonStatement& s : python_statements(code.text())) statement(s.text);
}

void ProgramNames::statement(const std::string& text) {
  if (begins_with(text, "def ") || begins_with(text, "async ") || begins_with(text, "class "))
    return;
  if (begins_with(text, "for ")) {
    for (const std::string& name : names_between(text, "for ", " in ")) set_unknown(name);
    return;
  }
  if (begins_with(text, "with ")) {
    for (const std::string& name : names_between(text, " as ", ":")) set_unknown(name);
    return;
  }
  if (const std::string name = changed_name(text); !name.empty()) return set_unknown(name);
  const auto made = python_assignment(text);
  if (!made) return;
  for (const std::string& target : made->targets) {
    if (contains(made->value, "parse_args(") && arguments_.is_object()) {
      parsed_.insert(target);
      set(target, arguments_);
      continue;
    }
    made->sign.empty() ? assign(target, made->value) : set_unknown(target);
  }
}

void ProgramNames::assign(const std::string& target, const std::string& value) {
  const Json whole = python_value(value, names_);
  const std::vector<std::string> parts = PythonText(target).expressions(0);
  const bool is_list = parts.size() > 1 && whole.is_array() && whole.size() == parts.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!is_python_name(parts[i])) continue;
    if (parts.size() > 1 && !is_list) {
      set_unknown(parts[i]);
    } else {
      set(parts[i], is_list ? whole[i] : whole);
    }
  }
}

// The defaults of argparse's add_argument, and the command's own words over them.
void ProgramNames::read_arguments(const PythonText& code, const Settings& given) {
  constexpr std::string_view kCall = "add_argument(";
  const std::string& text = code.text();
  arguments_ = Json::object();
  for (std::size_t at = text.find(kCall); at != std::string::npos;
       at = text.find(kCall, at + kCall.size())) {
    std::string name;
    Json otherwise;
    for (const std::string& part : code.expressions(at + kCall.size())) {
      const std::size_t equals = part.find('=');
      const std::string key(trimmed(std::string_view(part).substr(0, equals)));
      const std::string value =
          equals == std::string::npos ? "" : std::string(trimmed(part.substr(equals + 1)));
      if (!is_python_name(key) && is_quoted(part))
        name = plain_name(part.substr(1, part.size() - 2));
      if (key == "dest" && is_quoted(value)) name = value.substr(1, value.size() - 2);
      if (key == "default") otherwise = python_value(value, names_);
      if (key == "action" && contains(value, "store_true")) otherwise = false;
      if (key == "action" && contains(value, "store_false")) otherwise = true;
    }
    arguments_[name] = otherwise;
  }
  for (const ForeignSetting& s : given.all()) {
    const Json turned = value_at(arguments_, s.name) == true ? Json(false) : Json(true);
    const Json typed = s.value.is_string() ? yaml_scalar(s.value.get<std::string>()) : s.value;
    arguments_[s.name] = s.value.is_null() ? turned : typed;
  }
}

// A name of which two statements say different things is not known.
void ProgramNames::set(const std::string& name, const Json& value) {
  if (!is_python_name(name)) return;
  const auto [known, is_new] = names_.values.emplace(name, value);
  if (!is_new && known->second != value) known->second = unknown_python(name);
}

Json ProgramNames::of(const std::string& expression, std::size_t at) const {
  PythonNames names = names_;
  for (const PythonText::Function& f : functions_) {
    if (at < f.begin || at >= f.end) continue;
    for (const std::string& name : f.parameters) {
      if (parsed_.count(name) == 0) names.values[name] = unknown_python(name);
    }
  }
  return python_value(expression, names);
}

}  // namespace orrery
