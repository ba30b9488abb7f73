// SPDX-License-Identifier: Apache-2.0
#include "core/key_schema.h"

#include <cmath>
#include <optional>

#include "core/json.h"
#include "core/units.h"

namespace orrery {
namespace {

// Beyond 2^53 a bound is no bound of the document's.
constexpr std::int64_t kLargestBound = std::int64_t{1} << 53;

Json object_schema(const KeyTable& table);
Json form_schema(const Form& f);

Json names_json(std::span<const std::string_view> names) {
  Json list = Json::array();
  for (const std::string_view name : names) list.push_back(std::string(name));
  return list;
}

Json whole_schema(const Form& f) {
  Json s = {{"type", "integer"}, {"minimum", f.lowest}};
  if (f.highest <= kLargestBound) s["maximum"] = f.highest;
  return s;
}

Json number_schema(const Form& f) {
  Json s = {{"type", "number"}, {"minimum", f.least}};
  if (std::isfinite(f.most)) s["maximum"] = f.most;
  return s;
}

// A number in SI units, or a text that ends in one of the dimension's units.
Json quantity_schema(const Form& f) {
  std::string units;
  for (const std::string& unit : units_of(f.dimension)) units += (units.empty() ? "" : "|") + unit;
  return {{"type", {"number", "string"}},
          {f.zero_allowed ? "minimum" : "exclusiveMinimum", 0},
          {"pattern", "^[+]?[0-9.]+([eE][-+]?[0-9]+)? ?(" + units + ")$"}};
}

Json map_schema(const Form& f) {
  Json s = {{"type", "object"}};
  if (f.names.empty()) {
    s["additionalProperties"] = form_schema(*f.item);
    return s;
  }
  for (const std::string_view name : f.names) {
    s["properties"][std::string(name)] = form_schema(*f.item);
  }
  s["additionalProperties"] = false;
  return s;
}

Json document_schema(const Form& f) {
  const Json in_place = f.object == nullptr ? Json{{"type", "object"}} : object_schema(*f.object);
  return {{"anyOf", {{{"type", "string"}}, in_place}}};
}

Json form_schema(const Form& f) {
  switch (f.kind) {
    case FormKind::boolean:
      return {{"type", "boolean"}};
    case FormKind::whole:
      return whole_schema(f);
    case FormKind::number:
      return number_schema(f);
    case FormKind::quantity:
      return quantity_schema(f);
    case FormKind::text:
      return {{"type", "string"}};
    case FormKind::choice:
      return {{"enum", names_json(f.names)}};
    case FormKind::list:
      return {{"type", "array"}, {"items", form_schema(*f.item)}};
    case FormKind::object:
      return f.object == nullptr ? Json{{"type", "object"}} : object_schema(*f.object);
    case FormKind::map:
      return map_schema(f);
    case FormKind::document:
      return document_schema(f);
    case FormKind::any:
      return Json::object();
  }
  return Json::object();
}

// null stands for a key that is left out.
Json with_null(Json s) {
  if (s.contains("enum")) {
    s["enum"].push_back(nullptr);
  } else if (s.contains("anyOf")) {
    s["anyOf"].push_back({{"type", "null"}});
  } else if (s.contains("type")) {
    if (!s["type"].is_array()) s["type"] = Json::array({s["type"]});
    s["type"].push_back("null");
  }
  return s;
}

// The default as a value of the form, where it is one and not words.
std::optional<Json> default_value(const Key& k) {
  const Form& f = k.forms.front();
  const std::string_view value = k.otherwise.value;
  if (f.kind == FormKind::boolean && (value == "true" || value == "false")) return value == "true";
  if (f.kind == FormKind::choice) {
    for (const std::string_view name : f.names) {
      if (name == value) return std::string(value);
    }
  }
  if (f.kind != FormKind::whole && f.kind != FormKind::number) return {};
  const std::optional<double> number = parse_number(value);
  if (!number) return {};
  return f.kind == FormKind::whole ? Json(static_cast<std::int64_t>(*number)) : Json(*number);
}

std::string description(const Key& k, bool has_default) {
  std::string text(k.meaning);
  if (!k.otherwise.value.empty() && !has_default) {
    text += ". Default: " + std::string(k.otherwise.value);
  }
  return text;
}

Json key_schema(const Key& k) {
  Json s;
  if (k.forms.count == 1) {
    s = form_schema(k.forms.front());
  } else {
    for (const Form& f : k.forms) s["anyOf"].push_back(form_schema(f));
  }
  if (!k.otherwise.required) s = with_null(std::move(s));
  const std::optional<Json> value = default_value(k);
  Json out = {{"description", description(k, value.has_value())}};
  if (value) out["default"] = *value;
  out.update(s);
  return out;
}

Json object_schema(const KeyTable& table) {
  Json s = {{"type", "object"}, {"properties", Json::object()}};
  for (const Key& k : table.keys) {
    const std::string name(k.name);
    s["properties"][name] = key_schema(k);
    if (k.otherwise.required) s["required"].push_back(name);
  }
  if (table.beside == Beside::nothing) s["additionalProperties"] = false;
  return s;
}

}  // namespace

Json json_schema(const KeyTable& table, const std::string& title, const std::string& what) {
  Json s = {{"$schema", "http://json-schema.org/draft-07/schema#"},
            {"title", title},
            {"description", what}};
  s.update(object_schema(table));
  s["properties"]["$schema"] = {{"description", "for editors; not read"}, {"type", "string"}};
  return s;
}

}  // namespace orrery
