// SPDX-License-Identifier: Apache-2.0
#include "exchange/settings.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/error.h"
#include "core/json_path.h"
#include "core/limits.h"
#include "core/units.h"

namespace orrery {
namespace {

std::optional<double> number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return {};
  // Python's 220_000_000.
  std::string text = value.get<std::string>();
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    const bool between = std::isdigit(static_cast<unsigned char>(text[at - 1])) != 0 &&
                         std::isdigit(static_cast<unsigned char>(text[at + 1])) != 0;
    if (text[at] == '_' && between) text.erase(at, 1);
  }
  return parse_number(text);
}

ErrorCode code_of(const std::optional<double>& refused) {
  return refused ? ErrorCode::out_of_range : ErrorCode::wrong_type;
}

std::string joined(const Json& values) {
  std::string text;
  for (const Json& v : values) text += (text.empty() ? "" : " ") + bare_text(v);
  return text;
}

std::optional<bool> truth_of(const Json& value) {
  if (value.is_null()) return true;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) {
    const auto number = value.get<double>();
    return number == 0 || number == 1 ? std::optional(number == 1) : std::nullopt;
  }
  if (!value.is_string()) return {};
  const auto& text = value.get_ref<const std::string&>();
  for (const char* yes : {"true", "True", "TRUE", "1"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"false", "False", "FALSE", "0"}) {
    if (text == no) return false;
  }
  return {};
}

}  // namespace

void Settings::add(ForeignSetting setting) {
  const auto same = [&](const ForeignSetting& s) { return s.name == setting.name; };
  const auto known = std::find_if(list_.begin(), list_.end(), same);
  if (known == list_.end()) {
    if (list_.size() >= kMostSettings) {
      throw InputError(ErrorCode::malformed, file_, "",
                       "more than " + std::to_string(kMostSettings) + " settings", "fewer");
    }
    list_.push_back(std::move(setting));
  } else {
    *known = std::move(setting);
  }
}

const ForeignSetting* Settings::at(std::string_view name) const {
  const auto found = std::find_if(list_.begin(), list_.end(),
                                  [&](const ForeignSetting& s) { return s.name == name; });
  return found == list_.end() ? nullptr : &*found;
}

std::string Settings::written(std::string_view name) const {
  const ForeignSetting* s = at(name);
  return s == nullptr ? std::string() : text_of(*s);
}

void Settings::add_all(const Settings& other) {
  for (ForeignSetting s : other.list_) {
    if (s.file.empty()) s.file = other.file_;
    add(std::move(s));
  }
}

void Settings::take(std::string_view name) {
  for (ForeignSetting& s : list_) {
    if (s.name == name) s.taken = true;
  }
}

const ForeignSetting* Settings::taken_at(std::string_view name) {
  take(name);
  return at(name);
}

std::optional<std::int64_t> Settings::count(std::string_view name, std::int64_t lowest,
                                            std::int64_t highest) {
  const ForeignSetting* s = taken_at(name);
  if (s == nullptr) return {};
  const std::optional<double> x = number_of(s->value);
  const bool whole = x && *x == std::floor(*x);
  if (!whole || *x < static_cast<double>(lowest) || *x > static_cast<double>(highest)) {
    refuse(name, "a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest),
           code_of(x));
  }
  return static_cast<std::int64_t>(*x);
}

std::optional<double> Settings::number(std::string_view name, double lowest, double highest) {
  const ForeignSetting* s = taken_at(name);
  if (s == nullptr) return {};
  const std::optional<double> x = number_of(s->value);
  if (!x || !(*x >= lowest && *x <= highest)) {
    refuse(name, "a number from " + shortest(lowest) + " to " + shortest(highest), code_of(x));
  }
  return x;
}

std::optional<bool> Settings::flag(std::string_view name) {
  const ForeignSetting* s = taken_at(name);
  if (s == nullptr) return {};
  const std::optional<bool> truth = truth_of(s->value);
  if (!truth) refuse(name, "no value, true or false", ErrorCode::wrong_type);
  return truth;
}

std::optional<std::string> Settings::text(std::string_view name) {
  const ForeignSetting* s = taken_at(name);
  if (s == nullptr) return {};
  if (!s->value.is_string()) refuse(name, "one word", ErrorCode::wrong_type);
  return s->value.get<std::string>();
}

std::optional<std::string> Settings::word(std::string_view name) {
  const ForeignSetting* s = taken_at(name);
  if (s == nullptr || s->value.is_null()) return {};
  return bare_text(s->value);
}

std::optional<std::size_t> Settings::choice(std::string_view name,
                                            std::span<const std::string_view> names) {
  const std::optional<std::string> word = text(name);
  if (!word) return {};
  const auto found = std::find(names.begin(), names.end(), *word);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::vector<std::string> allowed(names.begin(), names.end());
  throw InputError(ErrorCode::unknown_name, file_of(*at(name)), at(name)->written,
                   "\"" + *word + "\"", alternatives(allowed), nearest_name(*word, allowed));
}

std::optional<std::vector<std::string>> Settings::words(std::string_view name) {
  const ForeignSetting* s = taken_at(name);
  if (s == nullptr) return {};
  std::vector<std::string> words;
  if (s->value.is_array()) {
    for (const Json& v : s->value) words.push_back(bare_text(v));
  } else if (s->value.is_string()) {
    words.push_back(s->value.get<std::string>());
  } else {
    refuse(name, "words", ErrorCode::wrong_type);
  }
  return words;
}

void Settings::refuse(std::string_view name, const std::string& allowed, ErrorCode code) const {
  const ForeignSetting* s = at(name);
  if (s == nullptr || s->value.is_null()) refuse(name, "no value", allowed, code);
  refuse(name, s->value.is_array() ? "\"" + joined(s->value) + "\"" : brief(s->value), allowed,
         code);
}

void Settings::refuse(std::string_view name, const std::string& found, const std::string& allowed,
                      ErrorCode code) const {
  const ForeignSetting* s = at(name);
  throw InputError(code, s == nullptr ? file_ : file_of(*s),
                   s == nullptr ? std::string(name) : s->written, found, allowed);
}

std::string text_of(const ForeignSetting& s) {
  const bool flag = s.value == true && s.written.starts_with("--");
  if (s.value.is_null() || flag) return s.written;
  return s.written + " " + (s.value.is_array() ? joined(s.value) : bare_text(s.value));
}

}  // namespace orrery
