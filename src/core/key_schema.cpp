// SPDX-License-Identifier: Apache-2.0
#include "core/key_schema.h"

#include <array>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>

#include "core/json.h"
#include "core/magnitude.h"
#include "core/units.h"

namespace orrery {
namespace {

// Beyond 2^53 a bound is no bound of the document's.
constexpr std::int64_t kLargestBound = std::int64_t{1} << 53;

const Json kObject = {{"type", "object"}};
const Json kText = {{"type", "string"}};

Json names_json(std::span<const std::string_view> names) {
  Json list = Json::array();
  for (const std::string_view name : names) list.push_back(std::string(name));
  return list;
}

// "300B", where tokens of a training are counted.
Json with_magnitude(Json s, const Form& f) {
  if (!takes_magnitude(f)) return s;
  const Json text = {{"type", "string"}, {"pattern", "^[+]?[0-9.]+([eE][-+]?[0-9]+)?( *[MBT])?$"}};
  return {{"anyOf", Json::array({std::move(s), text})}};
}

Json whole_schema(const Form& f) {
  Json s = {{"type", "integer"}, {"minimum", f.lowest}};
  if (f.highest <= kLargestBound) s["maximum"] = f.highest;
  return s;
}

Json number_schema(const Form& f) {
  Json s = {{"type", "number"}};
  if (f.least == kAboveZero) {
    s["exclusiveMinimum"] = 0;
  } else if (std::isfinite(f.least)) {
    s["minimum"] = f.least;
  }
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

Json text_schema(const Form& f) {
  Json s = kText;
  if (!f.pattern.empty()) s["pattern"] = "^(" + std::string(f.pattern) + ")$";
  return s;
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
  for (const Form& f : k.forms) {
    if (!f.unit.empty() && text.find(f.unit) == std::string::npos) {
      text += ", in " + std::string(f.unit);
    }
  }
  if (!k.otherwise.value.empty() && !has_default) {
    text += ". Default: " + std::string(k.otherwise.value);
  }
  return text;
}

bool may_be_object(const Form& f) {
  switch (f.kind) {
    case FormKind::object:
    case FormKind::map:
    case FormKind::document:
    case FormKind::either:
    case FormKind::any:
      return true;
    case FormKind::boolean:
    case FormKind::whole:
    case FormKind::number:
    case FormKind::quantity:
    case FormKind::text:
    case FormKind::choice:
    case FormKind::list:
      return false;
  }
  return false;
}

// A document as a whole, or the changes of one: then nothing is required, and null takes away.
struct Manner {
  bool changes = false;
  bool sourced = false;
};

class SchemaWriter {
 public:
  explicit SchemaWriter(Json& definitions) : definitions_(definitions) {}

  Json object(const KeyTable& table, Manner m);
  Json form(const Form& f, Manner m);

 private:
  Json key(const Key& k, Manner m);
  Json plain(const Form& f, Manner m);
  Json list(const Form& f, Manner m);
  Json map(const Form& f, Manner m);
  Json document(const Form& f, Manner m);
  Json either(const Forms& forms, Manner m);
  void add_keys(const KeyTable& table, Manner m, Json& schema);
  Json defined(std::string_view what, const KeyTable& table, bool changes);

  Json& definitions_;
};

Json SchemaWriter::list(const Form& f, Manner m) {
  Json s = {{"type", "array"}, {"items", plain(*f.item, {false, m.sourced})}};
  if (f.lowest > 0) s["minItems"] = f.lowest;
  if (f.highest != kNoHighest) s["maxItems"] = f.highest;
  if (!m.changes || !f.is_named) return s;
  const Json changes = {{"type", "object"}, {"additionalProperties", plain(*f.item, m)}};
  return {{"anyOf", {s, changes}}};
}

Json SchemaWriter::map(const Form& f, Manner m) {
  Json s = kObject;
  const Json item = m.changes ? with_null(form(*f.item, m)) : form(*f.item, m);
  for (const std::string_view name : f.names) s["properties"][std::string(name)] = item;
  s["additionalProperties"] = f.names.empty() ? item : Json(false);
  return s;
}

// The definition of a document, whole or as changes; the schema that refers to it.
Json SchemaWriter::defined(std::string_view what, const KeyTable& table, bool changes) {
  const std::string name = std::string(what) + (changes ? "-changes" : "");
  if (!definitions_.contains(name)) {
    definitions_[name] = Json();  // first its place: it may hold itself
    definitions_[name] = object(table, {changes, table.besides.has_sources});
  }
  return {{"$ref", "#/definitions/" + name}};
}

Json SchemaWriter::document(const Form& f, Manner m) {
  if (f.object == nullptr) return {{"anyOf", {kText, kObject}}};
  const bool has_base = f.object->besides.has_base;
  // The device of a node that is changed is changed itself.
  const bool changed = f.is_changes || (m.changes && has_base);
  if (changed || !has_base) return {{"anyOf", {kText, defined(f.what, *f.object, changed)}}};
  const Json in_place = {{"type", "object"},
                         {"if", {{"required", {"base"}}}},
                         {"then", defined(f.what, *f.object, true)},
                         {"else", defined(f.what, *f.object, false)}};
  return {{"anyOf", {kText, in_place}}};
}

Json SchemaWriter::either(const Forms& forms, Manner m) {
  if (forms.count == 1) return form(forms.front(), m);
  Json s;
  for (const Form& f : forms) s["anyOf"].push_back(form(f, m));
  return s;
}

Json SchemaWriter::plain(const Form& f, Manner m) {
  switch (f.kind) {
    case FormKind::boolean:
      return {{"type", "boolean"}};
    case FormKind::whole:
      return with_magnitude(whole_schema(f), f);
    case FormKind::number:
      return with_magnitude(number_schema(f), f);
    case FormKind::quantity:
      return quantity_schema(f);
    case FormKind::text:
      return text_schema(f);
    case FormKind::choice:
      return {{"enum", names_json(f.names)}};
    case FormKind::list:
      return list(f, m);
    case FormKind::object:
      m.changes = m.changes || f.is_changes;
      return f.what.empty() ? object(*f.object, m) : defined(f.what, *f.object, m.changes);
    case FormKind::map:
      return map(f, m);
    case FormKind::document:
      return document(f, m);
    case FormKind::either:
      return either(*f.others, m);
    case FormKind::any:
      return Json::object();
  }
  return Json::object();
}

Json SchemaWriter::form(const Form& f, Manner m) {
  Json s = plain(f, m);
  if (!m.sourced || may_be_object(f)) return s;
  definitions_["sourced"] = {{"description", "a value beside its source"},
                             {"type", "object"},
                             {"required", {"value", "kind"}},
                             {"properties", {{"value", Json::object()}, {"kind", kText}}}};
  return {{"anyOf", {std::move(s), {{"$ref", "#/definitions/sourced"}}}}};
}

Json SchemaWriter::key(const Key& k, Manner m) {
  Json s = either(k.forms, m);
  if (!k.otherwise.required || m.changes) s = with_null(std::move(s));
  const std::optional<Json> value = default_value(k);
  Json out = {{"description", description(k, value.has_value())}};
  if (value) out["default"] = *value;
  out.update(s);
  return out;
}

void SchemaWriter::add_keys(const KeyTable& table, Manner m, Json& schema) {
  for (const Key& k : table.keys) {
    const std::string name(k.name);
    schema["properties"][name] = key(k, m);
    if (k.otherwise.required && !m.changes) schema["required"].push_back(name);
  }
}

// A document that inherits may leave out what its parent states, a training what follows from its
// `rl` (estimate/rl_resolve.h) or its sample (estimate/sample.h).
constexpr std::array kGivesTheRest = {"inherits", "rl", "height", "points", "seconds"};

void require_unless_given(Json& object) {
  if (!object.contains("required")) return;
  Json ways = Json::array();
  for (const char* key : kGivesTheRest) {
    if (object["properties"].contains(key)) ways.push_back({{"required", Json::array({key})}});
  }
  if (ways.empty()) return;
  ways.push_back({{"required", object["required"]}});
  object["anyOf"] = std::move(ways);
  object.erase("required");
}

Json SchemaWriter::object(const KeyTable& table, Manner m) {
  const Besides& b = table.besides;
  Json s = {{"type", "object"}, {"properties", Json::object()}};
  add_keys(table, m, s);
  if (b.changes != nullptr) add_keys(*b.changes, {true, b.changes->besides.has_sources}, s);
  if (b.has_base && m.changes) s["properties"]["base"] = kText;
  if (b.has_paths) s["patternProperties"]["[.]"] = Json::object();
  s["additionalProperties"] = false;
  require_unless_given(s);
  if (b.foreign_key.empty()) return s;
  Json is_foreign = {{"anyOf", Json::array()}};
  std::istringstream keys{std::string(b.foreign_key)};
  for (std::string key; keys >> key;) is_foreign["anyOf"].push_back({{"required", {key}}});
  return {{"type", "object"}, {"if", is_foreign}, {"then", Json::object()}, {"else", s}};
}

}  // namespace

Json json_schema(const Form& document, const std::string& title, const std::string& what) {
  Json s = {{"$schema", "http://json-schema.org/draft-07/schema#"},
            {"title", title},
            {"description", what}};
  Json definitions = Json::object();
  SchemaWriter writer(definitions);
  const bool is_table = document.kind == FormKind::object;
  const bool sourced = is_table && document.object->besides.has_sources;
  s.update(writer.form(document, {false, sourced}));
  Json& object = s.contains("else") ? s["else"] : s;
  if (is_table) {
    object["properties"]["$schema"] = {{"description", "for editors; not read"},
                                       {"type", "string"}};
  }
  if (!definitions.empty()) s["definitions"] = std::move(definitions);
  return s;
}

}  // namespace orrery
