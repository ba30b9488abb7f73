// SPDX-License-Identifier: Apache-2.0
#include "exchange/python_values.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "core/limits.h"
#include "exchange/python_expression.h"
#include "exchange/python_statements.h"
#include "exchange/python_text.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

using Statements = std::vector<PythonStatement>;
using Assignment = PythonAssignment;

std::string root_of(const std::string& target) {
  return target.substr(0, target.find_first_of(".[ "));
}

std::string slice(const std::string& text, std::size_t from, std::size_t to) {
  return std::string(trimmed(std::string_view(text).substr(from, to - from)));
}

class Program {
 public:
  explicit Program(const std::string& text) : all_(python_statements(text)) {}

  std::optional<Json> read() {
    run(0, all_.size());
    Json made = Json::object(), plain = Json::object();
    for (const std::string& name : order_) {
      const auto known = names_.values.find(name);
      if (known == names_.values.end() || names_.passed.count(name) > 0) continue;
      const std::string type = made_by_class_.count(name) > 0 ? type_of(known->second) : "";
      const bool is_object = !type.empty() && !made.contains(type);
      (is_object ? made[type] : plain[name]) = known->second;
    }
    Json document = has_configuration(made) ? made : plain;
    if (!has_configuration(made)) document.update(made);
    if (document.empty()) return {};
    document["imports"] = imports_;
    if (!all_of_.empty()) document["imports_all"] = all_of_;
    return document;
  }

 private:
  static std::string type_of(const Json& value) {
    const bool is_made = value.is_object() && value.contains("type") && value["type"].is_string();
    return is_made ? value["type"].get<std::string>() : "";
  }

  // An object of a class of settings: other names only help to make it.
  static bool has_configuration(const Json& made) {
    return std::any_of(made.items().begin(), made.items().end(),
                       [](const auto& item) { return item.key().ends_with("Config"); });
  }

  void run(std::size_t i, std::size_t end) {
    while (i < end) i = step(i, end);
  }

  // The place of the next statement of this block.
  std::size_t step(std::size_t i, std::size_t end) {
    const PythonStatement& s = all_[i];
    const std::size_t behind = std::min(end, end_of_block(all_, i + 1, s.indent));
    const auto begins = [&](std::string_view word) {
      return begins_with(s.text, word) &&
             (s.text.size() == word.size() || !is_name_sign(s.text[word.size()]));
    };
    if (begins("import") || begins("from")) {
      import(s.text);
    } else if (begins("def") || begins("class") || begins("async") || begins("@")) {
      return behind;
    } else if (begins("if")) {
      return branches(i, end);
    } else if (begins("for") || begins("while") || begins("with") || begins("try") ||
               begins("except") || begins("finally") || begins("else") || begins("elif")) {
      doubt(s.text);
      for (std::size_t k = i + 1; k < behind; ++k) doubt(all_[k].text);
      return behind;
    } else if (const auto made = python_assignment(s.text)) {
      assign(*made);
    } else {
      method(s.text);
    }
    return i + 1;
  }

  void import(const std::string& text) {
    const bool is_from = begins_with(text, "from ");
    const std::size_t names = text.find("import ");
    if (names == std::string::npos) return;
    const std::string module = is_from ? slice(text, 5, names) : "";
    std::string list = text.substr(names + 7);
    std::replace(list.begin(), list.end(), '(', ' ');
    std::replace(list.begin(), list.end(), ')', ' ');
    for (const std::string& part : PythonText(list).expressions(0)) {
      const std::size_t as = part.find(" as ");
      const std::string name = as == std::string::npos ? part : slice(part, as + 4, part.size());
      const std::string from = is_from ? module : slice(part, 0, std::min(as, part.size()));
      names_.imported.insert(name.substr(0, name.find('.')));
      if (std::find(imports_.begin(), imports_.end(), from) == imports_.end())
        imports_.push_back(from);
      if (name == "*") all_of_.push_back(from);
    }
  }

  // An `if` with its other branches: the first whose condition holds, and doubt on what follows
  // one that is not known.
  std::size_t branches(std::size_t i, std::size_t end) {
    bool is_taken = false, is_doubted = false;
    const std::size_t indent = all_[i].indent;
    for (bool first = true; i < end; first = false) {
      const std::string text = all_[i].text;
      const bool is_else = begins_with(text, "else");
      if (!first && (all_[i].indent != indent || (!is_else && !begins_with(text, "elif ")))) break;
      const std::size_t behind = std::min(end, end_of_block(all_, i + 1, indent));
      const std::size_t colon = std::min(find_python_sign(text, ':'), text.size());
      const std::size_t word = is_else ? 4 : first ? 2 : 4;
      const std::string condition = slice(text, std::min(word, colon), colon);
      const std::string inner = colon < text.size() ? slice(text, colon + 1, text.size()) : "";
      const bool is_main = contains(condition, "__name__");
      const auto truth = is_main   ? std::optional<bool>(false)
                         : is_else ? std::optional<bool>(true)
                                   : python_truth(python_value(condition, names_));
      if (!is_taken && truth.value_or(true)) {
        is_doubted = is_doubted || !truth;
        branch(inner, i + 1, behind, is_doubted);
        is_taken = truth.has_value();
      }
      i = behind;
    }
    return i;
  }

  void branch(const std::string& inner, std::size_t first, std::size_t behind, bool is_doubted) {
    const auto made = python_assignment(inner);
    if (is_doubted) {
      doubt(inner);
      for (std::size_t k = first; k < behind; ++k) doubt(all_[k].text);
    } else {
      if (made) assign(*made);
      run(first, behind);
    }
  }

  // Names that a statement sets are not known.
  void doubt(const std::string& text) {
    const auto made = python_assignment(text);
    if (made) {
      for (const std::string& target : made->targets) set_unknown(target);
      return;
    }
    const std::size_t open = text.find('(');
    const std::size_t dot = text.rfind('.', open);
    if (open == std::string::npos || dot == std::string::npos) return;
    const std::string name = text.substr(0, dot);
    if (changes(text.substr(dot + 1, open - dot - 1)) && names_.values.count(root_of(name)) > 0)
      set_unknown(name);
  }

  static bool changes(std::string_view method) {
    constexpr std::array<std::string_view, 7> kChanges = {
        "update", "append", "extend", "insert", "pop", "setdefault", "clear"};
    return std::find(kChanges.begin(), kChanges.end(), method) != kChanges.end();
  }

  void set_unknown(const std::string& target) { set(target, unknown_python(target)); }

  void assign(const Assignment& a) {
    const std::string text =
        a.sign.empty() ? a.value : "(" + a.targets[0] + ") " + a.sign + " (" + a.value + ")";
    const Json value = python_value(text, names_);
    const bool is_class =
        !a.value.empty() && !begins_with(a.value, "dict") && !begins_with(a.value, "{");
    if (is_python_name(a.value) && names_.values.count(a.value) > 0) names_.passed.insert(a.value);
    for (const std::string& target : a.targets) {
      const std::vector<std::string> parts = PythonText(target).expressions(0);
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const bool is_list = parts.size() > 1 && value.is_array() && value.size() == parts.size();
        const Json& part = is_list ? value[k] : value;
        set(parts[k], parts.size() > 1 && !is_list ? unknown_python(parts[k]) : part);
        if (is_class) made_by_class_.insert(parts[k]);
      }
    }
  }

  // To a name, a member or an item of one.
  void set(const std::string& target, const Json& value) {
    const std::string root = root_of(target);
    if (!is_python_name(root)) return;
    if (root == target) {
      if (names_.values.count(root) == 0) order_.push_back(root);
      names_.values[root] = value;
      names_.passed.erase(root);
      return;
    }
    const auto known = names_.values.find(root);
    if (known == names_.values.end()) return;
    names_.passed.erase(root);
    Json* at = &known->second;
    for (std::size_t i = root.size(); i < target.size();) {
      std::string key;
      if (target[i] == '.') {
        const std::size_t end = std::min(target.find_first_of(".[", i + 1), target.size());
        key = slice(target, i + 1, end);
        i = end;
      } else {
        const std::size_t close = end_of_bracket(target, i);
        const Json index = python_value(slice(target, i + 1, close), names_);
        key = index.is_string() ? index.get<std::string>() : index.dump();
        i = close + 1;
      }
      if (!at->is_object()) {
        known->second = unknown_python(root);
        return;
      }
      at = &(*at)[key];
    }
    *at = value;
  }

  // name.update(…), name.append(…)
  void method(const std::string& text) {
    const std::size_t open = text.find('(');
    const std::size_t dot = open == std::string::npos ? open : text.rfind('.', open);
    if (dot == std::string::npos || names_.values.count(root_of(text.substr(0, dot))) == 0) return;
    const std::string name = text.substr(0, dot);
    const std::string method = text.substr(dot + 1, open - dot - 1);
    const bool is_plain = is_python_name(name);
    if (method == "update" && is_plain && names_.values[name].is_object()) {
      const std::string inner = slice(text, open + 1, end_of_bracket(text, open));
      const Json value = python_value("dict(" + inner + ")", names_);
      if (value.is_object()) {
        for (const auto& [key, each] : value.items()) names_.values[name][key] = each;
        return;
      }
    }
    if (changes(method)) set_unknown(name);
  }

  Statements all_;
  PythonNames names_;
  std::vector<std::string> order_;
  std::set<std::string, std::less<>> made_by_class_;
  Json imports_ = Json::array();
  Json all_of_ = Json::array();
};

}  // namespace

std::optional<Json> python_values(const std::string& text) {
  constexpr std::size_t kLongest = std::size_t{4} << 20;
  if (text.size() > kLongest) return {};
  return Program(text).read();
}

}  // namespace orrery
