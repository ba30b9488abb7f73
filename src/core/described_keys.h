// SPDX-License-Identifier: Apache-2.0
//
// Rows of documents that are read by hand, because their keys are no members one by one: a rate is
// a count over a window, a graph is vertices that a pattern names. The rows say names, forms and
// meaning for `orrery schema` and `orrery list keys`; tests/schema compares them with the keys that
// the readers allow.
#pragma once

#include <array>

#include "core/keys.h"
#include "core/provenance_keys.h"

namespace orrery {

constexpr Key described(std::string_view name, Forms forms, Otherwise otherwise,
                        std::string_view meaning) {
  return elsewhere(name, forms, otherwise, Vary::never, meaning);
}

inline constexpr Key kNameKey = described("name", form::text("text"), kNothing, "its name");

// A value of `Form`, or with its range and source.
template <const Form& Value>
inline constexpr std::array kRangedRows = {
    described("value", Value, kRequired, "the value"),
    described("low", Value, otherwise("the value"), "at least"),
    described("high", Value, otherwise("the value"), "at most"),
    kSourceKey,
    described("kind", form::text("text"), kNothing, "how the value came about"),
    described("on", form::any("data"), kNothing, "data that had a say in it"),
    described("date", form::text("text"), kNothing, "when it was so")};
template <const Form& Value>
inline constexpr KeyTable kRangedKeys{"", kRangedRows<Value>};
template <const Form& Value>
constexpr Forms ranged() {
  return either(Value, form::object(kRangedKeys<Value>));
}

}  // namespace orrery
