// SPDX-License-Identifier: Apache-2.0
#include "document/value.h"

#include "core/json.h"

namespace orrery {
namespace {

struct ToJson {
  Json operator()(std::monostate /*null*/) const { return nullptr; }
  Json operator()(const Value::Structured& json) const { return *json; }
  template <class T>
  Json operator()(const T& value) const {
    return value;
  }
};

}  // namespace

Value::Value(std::nullptr_t) {}
Value::Value(bool b) : is_(b) {}
Value::Value(double x) : is_(x) {}
Value::Value(const char* text) : is_(std::string(text)) {}
Value::Value(std::string text) : is_(std::move(text)) {}
Value::Value(std::string_view text) : is_(std::string(text)) {}
Value::Value(std::vector<std::string> texts) : is_(std::move(texts)) {}
Value::Value(Structured json) : is_(std::move(json)) {}
Value::Value(Whole whole) : is_(whole.n) {}
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;

Value value_of(const Json& json) {
  if (json.is_null()) return nullptr;
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return std::make_shared<const Json>(json);
}

Json json_value(const Value& value) { return value.visit(ToJson{}); }

}  // namespace orrery
