// SPDX-License-Identifier: Apache-2.0
#include "exchange/tools/condition.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/json_path.h"
#include "core/json_reader.h"
#include "core/units.h"
#include "exchange/text_lines.h"
#include "exchange/tools/formula.h"

namespace orrery::tools {
namespace {

std::vector<Json> values_at(const Reader& at) {
  if (!at.json().is_array()) return {at.json()};
  return {at.json().begin(), at.json().end()};
}

Test number_test(Test::Kind kind, const Reader& at) {
  constexpr double kMost = 1e18;
  return {kind, {at.number(-kMost, kMost)}};
}

void add_tests(Reader at, std::vector<Test>& tests);

void add_negated(const Reader& at, std::vector<Test>& tests) {
  const std::size_t first = tests.size();
  add_tests(at, tests);
  for (std::size_t i = first; i < tests.size(); ++i) tests[i].holds = !tests[i].holds;
}

void add_tests(Reader at, std::vector<Test>& tests) {
  if (!at.json().is_object()) {
    tests.push_back({Test::Kind::one_of, values_at(at)});
    return;
  }
  if (const auto r = at.find("given")) tests.push_back({Test::Kind::given, {}, r->boolean()});
  if (const auto r = at.find("on")) tests.push_back({Test::Kind::on, {}, r->boolean()});
  if (const auto r = at.find("is")) tests.push_back({Test::Kind::one_of, values_at(*r)});
  if (const auto r = at.find("contains")) tests.push_back({Test::Kind::contains, values_at(*r)});
  if (const auto r = at.find("begins")) tests.push_back({Test::Kind::begins, values_at(*r)});
  if (const auto r = at.find("ends")) tests.push_back({Test::Kind::ends, values_at(*r)});
  if (const auto r = at.find("same_as")) tests.push_back({Test::Kind::same_as, {r->text()}});
  if (const auto r = at.find("above")) tests.push_back(number_test(Test::Kind::above, *r));
  if (const auto r = at.find("below")) tests.push_back(number_test(Test::Kind::below, *r));
  if (const auto r = at.find("not")) add_negated(*r, tests);
  at.reject_unknown();
}

std::vector<Condition> conditions_at(const Reader& at) {
  std::vector<Condition> all;
  for (const Reader& r : at.items()) all.push_back(read_condition(r));
  return all;
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

using Part = bool (*)(std::string_view text, std::string_view part);

bool any_part(const Test& test, const std::string& text, Part is) {
  return std::any_of(test.values.begin(), test.values.end(),
                     [&](const Json& v) { return is(text, bare_text(v)); });
}

bool ends_with(std::string_view text, std::string_view end) { return text.ends_with(end); }

// A list holds a word where one of its items does.
std::string text_of_value(const Json& value) {
  if (!value.is_array()) return bare_text(value);
  std::string text;
  for (const Json& item : value) text += (text.empty() ? "" : " ") + bare_text(item);
  return text;
}

bool value_passes(const Test& test, const Json& value, const SettingsSeen& seen) {
  switch (test.kind) {
    case Test::Kind::one_of:
      return std::any_of(test.values.begin(), test.values.end(),
                         [&](const Json& v) { return same_word(v, value); });
    case Test::Kind::given:
      return true;
    case Test::Kind::on:
      return is_on(value);
    case Test::Kind::contains:
      return any_part(test, text_of_value(value), contains);
    case Test::Kind::begins:
      return any_part(test, text_of_value(value), begins_with);
    case Test::Kind::ends:
      return any_part(test, text_of_value(value), ends_with);
    case Test::Kind::same_as: {
      const SeenValue other = seen.at(test.values.front().get<std::string>());
      return other.value != nullptr && same_word(*other.value, value);
    }
    case Test::Kind::above:
    case Test::Kind::below: {
      const auto n = number_of(value);
      const double limit = test.values.front().get<double>();
      return n && (test.kind == Test::Kind::above ? *n > limit : *n < limit);
    }
  }
  return false;
}

Truth truth(bool holds) { return holds ? Truth::yes : Truth::no; }

// A part of an unknown value is there whatever the rest of it is.
bool is_part(const Test& test, const SeenValue& value, const SettingsSeen& seen) {
  constexpr std::array kParts = {Test::Kind::contains, Test::Kind::begins, Test::Kind::ends};
  return std::find(kParts.begin(), kParts.end(), test.kind) != kParts.end() &&
         value_passes(test, *value.value, seen);
}

Truth passes(const Test& test, const SeenValue& value, const SettingsSeen& seen) {
  if (test.kind == Test::Kind::given) return truth(test.holds == value.is_given);
  if (test.kind == Test::Kind::on && value.value == nullptr) return truth(!test.holds);
  if (value.value == nullptr) return Truth::no;
  if (value.is_unknown) return is_part(test, value, seen) ? truth(test.holds) : Truth::maybe;
  return truth(test.holds == value_passes(test, *value.value, seen));
}

Truth not_of(Truth t) { return t == Truth::maybe ? t : truth(t == Truth::no); }

}  // namespace

std::optional<double> number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? parse_number(value.get<std::string>()) : std::nullopt;
}

bool same_word(const Json& a, const Json& b) {
  const auto x = number_of(a);
  const auto y = number_of(b);
  if (x && y) return *x == *y;
  return lower(bare_text(a)) == lower(bare_text(b));
}

bool is_on(const Json& value) {
  if (value.is_null()) return true;  // given without a value
  if (value.is_array() || value.is_object()) return !value.empty();
  constexpr std::array<std::string_view, 6> kOff = {"false", "0", "none", "null", "", "no"};
  return std::find(kOff.begin(), kOff.end(), lower(bare_text(value))) == kOff.end();
}

Condition read_condition(const Reader& at) {
  Condition c;
  Reader members = at;
  members.must_be_object();
  for (const std::string& name : members.keys()) {
    const Reader member = members.at(name);
    if (name == "any") {
      c.any = conditions_at(member);
    } else if (name == "none") {
      c.none = conditions_at(member);
    } else {
      c.all.push_back({name, {}});
      add_tests(member, c.all.back().tests);
    }
  }
  return c;
}

Truth truth_of(const Condition& c, const SettingsSeen& seen) {
  Truth all = Truth::yes;
  for (const Clause& clause : c.all) {
    const SeenValue value = seen.at(clause.setting);
    for (const Test& t : clause.tests) all = std::min(all, passes(t, value, seen));
    if (all == Truth::no) return all;
  }
  Truth any = truth(c.any.empty());
  for (const Condition& part : c.any) any = std::max(any, truth_of(part, seen));
  all = std::min(all, any);
  for (const Condition& part : c.none) all = std::min(all, not_of(truth_of(part, seen)));
  return all;
}

bool holds(const Condition& c, const SettingsSeen& seen) { return truth_of(c, seen) == Truth::yes; }

std::vector<std::string> alternatives_in(std::string_view name) {
  std::vector<std::string> names;
  for (const std::string_view part : fields_of(name, '|')) names.emplace_back(part);
  return names;
}

// The names of a formula, or the one name.
static std::vector<std::string> names_of_clause(const Clause& clause) {
  if (!begins_with(clause.setting, "= ")) return {clause.setting};
  std::vector<std::string> names;
  for (const std::string_view word : words_of(std::string_view(clause.setting).substr(2))) {
    if (!is_sign(word) && !parse_number(word) && word.front() != '@') names.emplace_back(word);
  }
  return names;
}

void add_settings(const Condition& c, std::vector<std::string>& names) {
  for (const Clause& clause : c.all) {
    if (clause.setting.front() == '@') continue;
    for (const std::string& each : names_of_clause(clause)) {
      for (std::string& name : alternatives_in(each)) names.push_back(std::move(name));
    }
  }
  for (const Condition& part : c.any) add_settings(part, names);
  for (const Condition& part : c.none) add_settings(part, names);
}

}  // namespace orrery::tools
