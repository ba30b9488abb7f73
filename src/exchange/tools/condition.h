// SPDX-License-Identifier: Apache-2.0
//
// Conditions on the settings of another tool's file, as its rules write them
// (configs/tools/NAME.json):
//
//   "when": {"bf16": true, "fp16": {"on": false}, "any": [{"a": 1}, {"b": ["x", "y"]}]}
//
// All members must hold; `any`: at least one of the conditions; `none`: not one. A member is a
// setting and its test: a value, a list of values (one of them), or an object of tests that all
// hold: given, on (given, and neither false, 0, none nor empty), contains, begins, ends, above,
// below, same_as (a setting that has the same value), not. "a|b" is the first of them that is
// given; "= a * b" is a formula. "part.*" and "*.part" are any setting of that form. "@precision"
// is a fact that the rules before have found; "@text" is the whole file, "@null.part.a" is there
// where the document says null.
//
// A setting that is not given has the tool's own default, if the file of rules says one; `given`
// is then false. A test of a setting that has no value is false, but for `given` and `on`. A
// test of a value that only a running shell or program knows may hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"

namespace orrery {
class Reader;
}

namespace orrery::tools {

struct Test {
  enum class Kind : std::uint8_t {
    one_of,
    given,
    on,
    contains,
    begins,
    ends,
    above,
    below,
    same_as
  };
  Kind kind = Kind::one_of;
  std::vector<Json> values = {};
  bool holds = true;  // false: under "not", or {"given": false}
};

struct Clause {
  std::string setting;
  std::vector<Test> tests;
};

struct Condition {
  std::vector<Clause> all = {};
  std::vector<Condition> any = {};
  std::vector<Condition> none = {};

  bool empty() const { return all.empty() && any.empty() && none.empty(); }
};

Condition read_condition(const Reader& at);

// The value behind a name, as a condition sees it.
struct SeenValue {
  const Json* value = nullptr;  // null: it has none
  bool is_given = false;        // false: the tool's default
  bool is_unknown = false;      // only a running shell or program knows it
};

// Looks names up: settings, facts, the text.
class SettingsSeen {
 public:
  virtual ~SettingsSeen() = default;
  virtual SeenValue at(const std::string& name) const = 0;
};

enum class Truth : std::uint8_t { no, maybe, yes };

Truth truth_of(const Condition& condition, const SettingsSeen& seen);
bool holds(const Condition& condition, const SettingsSeen& seen);

// Names of the settings in a condition, facts and the text apart; "a|b" are two.
void add_settings(const Condition& condition, std::vector<std::string>& names);
std::vector<std::string> alternatives_in(std::string_view name);

// A number, or a text that is one.
std::optional<double> number_of(const Json& value);
// True where both are the same word of a file: true and "True", 8 and "8".
bool same_word(const Json& a, const Json& b);
// Neither false, 0, "none" nor empty.
bool is_on(const Json& value);

}  // namespace orrery::tools
