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

enum class FormKind : std::uint8_t {
  boolean,
  whole,     // a number without a fraction, `lowest` to `highest` of `unit`
  number,    // `least` to `most` of `unit`
  quantity,  // text with a unit of `dimension`, or a number in SI units
  text,      // `what`
  choice,    // one of `names`
  list,      // of `item`
  object,    // with the keys of `object`
  map,       // an object of `item`; its keys are `names`, or free where there are none
  document,  // `what`: a name of `orrery list`, a path or, where `object` is set, an object
  any,       // `what`
};

struct Form {
  FormKind kind = FormKind::any;
  bool zero_allowed = false;
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  double least = 0;
  double most = 0;
  Dimension dimension{};
  std::string_view unit{};
  std::string_view what{};
  std::span<const std::string_view> names{};
  const KeyTable* object = nullptr;
  const Form* item = nullptr;
};

inline constexpr std::int64_t kNoHighest = std::numeric_limits<std::int64_t>::max();
inline constexpr double kNoMost = std::numeric_limits<double>::infinity();

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

constexpr Form text(std::string_view what) { return {.kind = FormKind::text, .what = what}; }

constexpr Form one_of(std::span<const std::string_view> names) {
  return {.kind = FormKind::choice, .names = names};
}

template <class E>
constexpr Form one_of() {
  return one_of(kNamesOf<E>);
}

constexpr Form list(const Form& item) { return {.kind = FormKind::list, .item = &item}; }

constexpr Form object(const KeyTable& keys) { return {.kind = FormKind::object, .object = &keys}; }

// An object whose keys are `names`; without any, whatever the user calls them.
constexpr Form map(const Form& item, std::span<const std::string_view> names = {}) {
  return {.kind = FormKind::map, .names = names, .item = &item};
}

// `what` as `orrery list` calls it: "model". `keys`: those of an object in place, where known.
constexpr Form document(std::string_view what, const KeyTable* keys = nullptr) {
  return {.kind = FormKind::document, .what = what, .object = keys};
}

constexpr Form any(std::string_view what) { return {.kind = FormKind::any, .what = what}; }

}  // namespace form

// The forms of a key.
struct Forms {
  std::array<Form, 3> forms;
  std::size_t count = 1;

  constexpr Forms(Form only) : forms{only} {}  // NOLINT(google-explicit-constructor)
  constexpr Forms(Form a, Form b) : forms{a, b}, count(2) {}
  constexpr Forms(Form a, Form b, Form c) : forms{a, b, c}, count(3) {}

  constexpr const Form& front() const { return forms[0]; }
  constexpr const Form* begin() const { return forms.data(); }
  constexpr const Form* end() const { return forms.data() + count; }
};

constexpr Forms either(Form a, Form b) { return {a, b}; }
constexpr Forms either(Form a, Form b, Form c) { return {a, b, c}; }

}  // namespace orrery
