// SPDX-License-Identifier: Apache-2.0
//
// A value as programs read it: what stands in JSON and CSV where a person reads a text.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/json_fwd.h"

namespace orrery {

class Value {
 public:
  using Structured = std::shared_ptr<const Json>;  // an array or object of mixed things

  Value(std::nullptr_t = nullptr);        // NOLINT: null
  Value(bool b);                          // NOLINT
  Value(double x);                        // NOLINT
  Value(const char* text);                // NOLINT
  Value(std::string text);                // NOLINT
  Value(std::string_view text);           // NOLINT
  Value(std::vector<std::string> texts);  // NOLINT
  Value(Structured json);                 // NOLINT
  template <std::integral N>
  Value(N n) : Value(Whole{static_cast<std::int64_t>(n)}) {}  // NOLINT
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();

  template <class Visitor>
  decltype(auto) visit(Visitor&& visitor) const {
    return std::visit(std::forward<Visitor>(visitor), is_);
  }

 private:
  struct Whole {
    std::int64_t n = 0;
  };
  explicit Value(Whole whole);

  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::string>,
               Structured>
      is_;
};

// Conversions to and from a JSON document; arrays and objects are copied.
Value value_of(const Json& json);
Json json_value(const Value& value);

}  // namespace orrery
