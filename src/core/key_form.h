// SPDX-License-Identifier: Apache-2.0
//
// The allowed values of a key: kind, range, unit, names. A key has one form or a few
// ("a whole number, or auto"). Messages, the JSON Schema and the pages are made from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "core/enum_names.h"
#include "orrery/quantity.h"

namespace orrery {

struct KeyTable;
struct Forms;

enum class FormKind : std::uint8_t {
  boolean,
  whole,     // a number without a fraction, `lowest` to `highest` of `unit`
  number,    // `least` to `most` of `unit`
  quantity,  // text with a unit of `dimension`, or a number in SI units
  text,      // `what`
  choice,    // one of `names`
  list,      // `lowest` to `highest` of `item`
  object,    // with the keys of `object`
  map,       // an object of `item`; its keys are `names`, or free where there are none
  document,  // `what`: a name of `orrery list`, a path, or an object with the keys of `object`
  either,    // of the forms of `others`
  any,       // `what`
};

struct Form {
  FormKind kind = FormKind::any;
  bool zero_allowed = false;
  bool is_named = false;    // a list whose items have a name: changes are an object by these names
  bool is_changes = false;  // an object that changes another: it need not have all keys
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  double least = 0;
  double most = 0;
  Dimension dimension{};
  std::string_view unit{};
  std::string_view what{};
  std::string_view pattern{};  // of a text, as a regular expression
  std::span<const std::string_view> names{};
  const KeyTable* object = nullptr;
  const Form* item = nullptr;
  const Forms* others = nullptr;
};

inline constexpr std::int64_t kNoHighest = std::numeric_limits<std::int64_t>::max();
inline constexpr double kAboveZero = std::numeric_limits<double>::min();

namespace form {

constexpr Form boolean() { return {.kind = FormKind::boolean}; }

// `unit` names what is counted: "ranks", "tokens", "bits".
constexpr Form whole(std::int64_t lowest, std::int64_t highest, std::string_view unit) {
  return {.kind = FormKind::whole, .lowest = lowest, .highest = highest, .unit = unit};
}

constexpr Form number(double least, double most, std::string_view unit) {
  return {.kind = FormKind::number, .least = least, .most = most, .unit = unit};
}

// Never negative; above zero unless it `can_be_zero`.
constexpr Form quantity(Dimension d, bool can_be_zero = false) {
  return {.kind = FormKind::quantity, .zero_allowed = can_be_zero, .dimension = d};
}

// `pattern`: a regular expression that every such text matches, where there is a plain one.
constexpr Form text(std::string_view what, std::string_view pattern = "") {
  return {.kind = FormKind::text, .what = what, .pattern = pattern};
}

constexpr Form one_of(std::span<const std::string_view> names) {
  return {.kind = FormKind::choice, .names = names};
}

template <class E>
constexpr Form one_of() {
  return one_of(kNamesOf<E>);
}

constexpr Form list(const Form& item, std::int64_t fewest = 0, std::int64_t most = kNoHighest) {
  return {.kind = FormKind::list, .lowest = fewest, .highest = most, .item = &item};
}

// The objects of the list each have a `name` of their own.
constexpr Form named_list(const Form& item, std::int64_t fewest, std::int64_t most) {
  Form f = list(item, fewest, most);
  f.is_named = true;
  return f;
}

// `what`: its name, where several keys are such objects.
constexpr Form object(const KeyTable& keys, std::string_view what = "") {
  return {.kind = FormKind::object, .what = what, .object = &keys};
}

// An object whose keys are `names`; without any, whatever the user calls them.
constexpr Form map(const Form& item, std::span<const std::string_view> names = {}) {
  return {.kind = FormKind::map, .names = names, .item = &item};
}

// `what` as `orrery list` calls it: "model". `keys`: those of the document, where known.
constexpr Form document(std::string_view what, const KeyTable* keys = nullptr) {
  return {.kind = FormKind::document, .what = what, .object = keys};
}

// The same as changes of another such object or document.
constexpr Form changes(Form f) {
  f.is_changes = true;
  return f;
}

constexpr Form any(std::string_view what) { return {.kind = FormKind::any, .what = what}; }

// Alternatives within a list or a map.
constexpr Form either(const Forms& others) { return {.kind = FormKind::either, .others = &others}; }

}  // namespace form

// The forms of a key.
struct Forms {
  std::array<Form, 4> forms;
  std::size_t count = 1;

  constexpr Forms(Form only) : forms{only} {}  // NOLINT(google-explicit-constructor)
  constexpr Forms(Form a, Form b) : forms{a, b}, count(2) {}
  constexpr Forms(Form a, Form b, Form c) : forms{a, b, c}, count(3) {}
  constexpr Forms(Form a, Form b, Form c, Form d) : forms{a, b, c, d}, count(4) {}

  constexpr const Form& front() const { return forms[0]; }
  constexpr const Form* begin() const { return forms.data(); }
  constexpr const Form* end() const { return forms.data() + count; }
};

constexpr Forms either(Form a, Form b) { return {a, b}; }
constexpr Forms either(Form a, Form b, Form c) { return {a, b, c}; }
constexpr Forms either(Form a, Form b, Form c, Form d) { return {a, b, c, d}; }

}  // namespace orrery
