// SPDX-License-Identifier: Apache-2.0
#include "exchange/flat.h"

#include <array>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "core/json_path.h"
#include "core/limits.h"
#include "core/units.h"
#include "exchange/text_lines.h"
#include "exchange/yaml.h"

namespace orrery {
namespace {

constexpr int kRounds = 8;
constexpr std::size_t kQuotedName = 60;  // quoted of a setting's name

bool is_target(const Json& value) {
  const bool uncalled = value.is_object() && value.value("_call_", Json()) == false;
  return value.is_object() && value.contains("_target_") && (uncalled || value.size() == 1);
}

// Nobody need ask for leaves of a mapping that is there for others to merge (exchange/yaml.h).
void add_leaves(const Json& value, const std::string& name, bool merged,
                std::vector<ForeignSetting>& out) {
  if (is_target(value)) {
    out.push_back({name, name, value["_target_"], {}, merged});
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      if (key == "<<") continue;
      add_leaves(member, name.empty() ? key : name + "." + key, merged || value.contains("<<"),
                 out);
    }
  } else if (!value.is_null()) {
    out.push_back({name, name, value, {}, merged});
  }
}

using Two = double (*)(double, double);
struct Function {
  std::string_view name;
  Two of;
};
constexpr std::array kFunctions = {
    Function{"multiply", [](double a, double b) { return a * b; }},
    Function{"divide_ceil", [](double a, double b) { return std::ceil(a / b); }},
    Function{"divide_floor", [](double a, double b) { return std::floor(a / b); }},
    Function{"divide", [](double a, double b) { return a / b; }},
    Function{"int_div", [](double a, double b) { return std::floor(a / b); }},
    Function{"sum", [](double a, double b) { return a + b; }},
    Function{"add", [](double a, double b) { return a + b; }},
};

class References {
 public:
  References(Json& document, std::vector<TakenDefault>* taken)
      : document_(document), taken_(taken) {}

  bool follow(Json& value, const std::string& path) {
    bool changed = false;
    if (value.is_structured()) {
      for (auto it = value.begin(); it != value.end(); ++it) {
        const std::string key = value.is_object() ? it.key() : std::string();
        changed = follow(*it, key.empty()    ? path
                              : path.empty() ? key
                                             : path + "." + key) ||
                  changed;
      }
    } else if (value.is_string()) {
      changed = follow_text(value, path);
    }
    return changed;
  }

  static std::optional<Json> typed(const std::string& text) {
    const std::string t(trimmed(text));
    if (t.find_first_of("\n:{}[]&*!|>%@`\"'#") != std::string::npos) return Json(t);
    return t.empty() ? Json("") : yaml_scalar(t);
  }

 private:
  // The innermost reference of a text: the last "${" and the bracket behind it.
  bool follow_text(Json& value, const std::string& path) {
    const std::string text = value.get<std::string>();
    const std::size_t start = text.rfind("${");
    if (start == std::string::npos) return false;
    const std::size_t end = text.find('}', start);
    if (end == std::string::npos) return false;
    const auto found = value_of(text.substr(start + 2, end - start - 2), path);
    if (!found) return false;
    if (start == 0 && end + 1 == text.size()) {
      value = *found;
    } else {
      const std::string whole = text.substr(0, start) + bare_text(*found) + text.substr(end + 1);
      if (whole.size() > kLongestExpression) return false;
      value = whole;
    }
    return true;
  }

  std::optional<Json> value_of(const std::string& inside, const std::string& path) const {
    const std::size_t colon = inside.find(':');
    if (colon == std::string::npos) return at(std::string(trimmed(inside)), path);
    const std::string name(trimmed(inside.substr(0, colon)));
    const std::string rest = inside.substr(colon + 1);
    for (const Function& f : kFunctions) {
      if (f.name == name) return called(f, rest);
    }
    if (name == "oc.env") {
      const std::size_t comma = rest.find(',');
      if (comma == std::string::npos) return {};
      return otherwise(path, std::string(trimmed(rest.substr(0, comma))), rest.substr(comma + 1));
    }
    // A shell's "${NAME:?message}" has no value.
    const bool variable = name.find_first_of(". ") == std::string::npos && !begins_with(rest, "?");
    return variable ? otherwise(path, name, rest) : std::nullopt;
  }

  std::optional<Json> otherwise(const std::string& path, const std::string& name,
                                const std::string& text) const {
    if (taken_ != nullptr) taken_->push_back({path, name, std::string(trimmed(text))});
    return typed(text);
  }

  static std::optional<Json> called(const Function& f, const std::string& arguments) {
    const std::size_t comma = arguments.find(',');
    if (comma == std::string::npos) return {};
    const auto a = parse_number(std::string(trimmed(arguments.substr(0, comma))));
    const auto b = parse_number(std::string(trimmed(arguments.substr(comma + 1))));
    if (!a || !b) return {};
    const double x = f.of(*a, *b);
    if (!(std::abs(x) < 1e15)) return {};
    return x == std::floor(x) ? Json(static_cast<std::int64_t>(x)) : Json(x);
  }

  // ".sibling" and "..of.the.parent" are relative; a launcher's files stand below "training".
  std::optional<Json> at(const std::string& name, const std::string& path) const {
    std::size_t dots = 0;
    while (dots < name.size() && name[dots] == '.') ++dots;
    std::string base = path;
    for (std::size_t i = 0; i < dots; ++i) {
      base = base.substr(0, base.rfind('.') == std::string::npos ? 0 : base.rfind('.'));
    }
    const std::string rest = name.substr(dots);
    const std::string full = dots == 0 ? rest : base.empty() ? rest : base + "." + rest;
    if (full.empty()) return {};
    const Json* found = &value_at(document_, full);
    if (found->is_null() && begins_with(full, "training."))
      found = &value_at(document_, full.substr(9));
    if (found->is_null() || found->is_structured()) return {};
    const bool open =
        found->is_string() && found->get<std::string>().find("${") != std::string::npos;
    return open ? std::nullopt : std::optional(*found);
  }

  Json& document_;
  std::vector<TakenDefault>* taken_;
};

// The bracket that closes "${" at `start`.
std::size_t end_of_reference(const std::string& text, std::size_t start) {
  int depth = 0;
  for (std::size_t i = start; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return std::string::npos;
}

// The variable of "NAME:otherwise" and of "oc.env:NAME,otherwise".
std::string variable_of(const std::string& inside) {
  const std::size_t colon = inside.find(':');
  const std::string name(trimmed(inside.substr(0, colon)));
  if (name != "oc.env") return colon == std::string::npos ? "" : name;
  const std::string rest = inside.substr(colon + 1);
  return std::string(trimmed(rest.substr(0, rest.find(','))));
}

void set_variables(Json& value, const ShellVariables& variables) {
  std::string text = value.get<std::string>();
  const std::string before = text;
  bool whole = false;
  for (std::size_t at = text.rfind("${"); at != std::string::npos;
       at = at == 0 ? std::string::npos : text.rfind("${", at - 1)) {
    const std::size_t end = end_of_reference(text, at);
    if (end == std::string::npos) continue;
    const std::string name = variable_of(text.substr(at + 2, end - at - 2));
    const auto set = variables.find(name);
    if (name.empty() || set == variables.end() || set->second.size() != 1) continue;
    const std::string& own = set->second.front();
    whole = at == 0 && end + 1 == text.size();
    text = text.substr(0, at) + (own.find('$') == std::string::npos ? own : "$" + name) +
           text.substr(end + 1);
  }
  if (text == before || text.size() > kLongestExpression) return;
  value = whole && !text.empty() && text[0] != '$' ? References::typed(text).value_or(Json(text))
                                                   : Json(text);
}

}  // namespace

std::vector<ForeignSetting> flat_leaves(const Json& document, const std::string& prefix) {
  std::vector<ForeignSetting> out;
  add_leaves(document, prefix, false, out);
  return out;
}

Settings settings_of(const Json& document, const std::string& file) {
  Settings settings(file);
  for (ForeignSetting& s : flat_leaves(document)) settings.add(std::move(s));
  return settings;
}

void set_named(Json& document, std::string_view name, Json value, const std::string& file) {
  const std::vector<std::string> keys = path_keys(name);
  const auto fail = [&](const char* found) {
    throw InputError(ErrorCode::malformed, file, std::string(name.substr(0, kQuotedName)), found,
                     "fewer");
  };
  if (keys.size() > static_cast<std::size_t>(kDeepestNesting)) fail("more than 64 levels");
  const Json* at = &document;
  for (const std::string& key : keys) {
    if (!at->is_object()) break;
    const auto found = at->find(key);
    if (found == at->end()) {
      if (at->size() >= kMostKeys) fail("more than 4,096 keys in one object");
      break;
    }
    at = &*found;
  }
  set_at(document, name, std::move(value));
}

void set_environment(Json& document, const ShellVariables& variables) {
  if (document.is_string()) return set_variables(document, variables);
  if (!document.is_structured()) return;
  for (Json& member : document) set_environment(member, variables);
}

void follow_references(Json& document, std::vector<TakenDefault>* taken) {
  References references(document, taken);
  for (int i = 0; i < kRounds; ++i) {
    if (!references.follow(document, "")) return;
  }
}

}  // namespace orrery
