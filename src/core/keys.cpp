// SPDX-License-Identifier: Apache-2.0
#include "core/keys.h"

#include <cmath>
#include <optional>
#include <string>

#include "core/json.h"
#include "core/json_reader.h"
#include "core/key_words.h"
#include "core/magnitude.h"
#include "core/units.h"

namespace orrery {
namespace {

void refuse_gone(std::span<const GoneKey> gone, const Reader& r) {
  for (const GoneKey& g : gone) {
    const std::string name(g.name);
    if (!r.json().contains(name)) continue;
    Reader(r).at(name).fail(ErrorCode::unknown_key, "a key of an earlier version",
                            std::string(g.instead));
  }
}

}  // namespace

Reader required(Reader& object, const Key& k) {
  const std::string name(k.name);
  const std::optional<Reader> found = object.find(name);
  if (found) return *found;
  object.fail_missing(name, values_words(k.forms));
}

void read_known(const KeyTable& table, Reader& r, void* asking) {
  refuse_gone(table.besides.gone, r);
  for (const Key& k : table.keys) {
    const std::string name(k.name);
    if (k.read == nullptr) {
      r.allow(name);
    } else if (k.otherwise.required) {
      k.read(asking, required(r, k), k);
    } else if (const auto value = r.find(name)) {
      k.read(asking, *value, k);
    }
  }
}

void read_all(const KeyTable& table, const Reader& r, void* asking) {
  Reader object = r;
  read_known(table, object, asking);
  object.reject_unknown();
}

void write_known(const KeyTable& table, const void* asking, Json& out) {
  for (const Key& k : table.keys) {
    Json value;
    if (k.write != nullptr && k.write(asking, k, value))
      out[std::string(k.name)] = std::move(value);
  }
}

namespace {

std::string allowed_length(const Form& list) {
  if (list.highest == kNoHighest) return "at least " + std::to_string(list.lowest) + " values";
  const bool exact = list.lowest == list.highest;
  return (exact ? "" : std::to_string(list.lowest) + " to ") + std::to_string(list.highest) +
         " values";
}

}  // namespace

namespace key_values {

bool read_boolean(const Reader& r) { return r.boolean(); }

namespace {

// "300B" of tokens; nothing where no such text may stand.
std::optional<double> magnitude_in(const Reader& r, const Form& f, double least, double most) {
  if (!takes_magnitude(f) || !r.json().is_string()) return {};
  const std::optional<double> n = parse_count(r.text());
  const bool is_whole = f.kind != FormKind::whole || (n && *n == std::floor(*n));
  if (!n || !is_whole || *n < least || *n > most)
    r.fail("a number of " + std::string(f.unit) + ", as 300B, 15T or 2.5e12");
  return n;
}

}  // namespace

std::int64_t read_whole(const Reader& r, const Form& f) {
  const auto n = magnitude_in(r, f, static_cast<double>(f.lowest), static_cast<double>(f.highest));
  return n ? static_cast<std::int64_t>(*n) : r.integer(f.lowest, f.highest);
}

double read_number(const Reader& r, const Form& f) {
  const auto n = magnitude_in(r, f, f.least, f.most);
  return n ? *n : r.number(f.least, f.most);
}

double read_quantity(const Reader& r, const Form& f) {
  return r.quantity_si(f.dimension, f.zero_allowed);
}

std::string read_text(const Reader& r) { return r.text(); }

std::size_t read_choice(const Reader& r, const Form& f) { return r.choice(f.names); }

GivenJson read_json(const Reader& r, const Form& f) {
  const bool by_name = f.kind == FormKind::document && r.json().is_string();
  if (f.kind == FormKind::list) {
    static_cast<void>(r.items());  // refuses what is no list
  } else if (!by_name && f.kind != FormKind::any) {
    r.must_be_object();
  }
  return std::make_shared<const Json>(r.json());
}

void read_object(const Reader& r, const KeyTable& keys, void* out) { read_all(keys, r, out); }

void read_list(const Reader& r, const Form& f, void* list,
               void (*append)(void* list, const Reader& r, const Form& item)) {
  const std::vector<Reader> items = r.items();
  const auto n = static_cast<std::int64_t>(items.size());
  if (n < f.lowest || n > f.highest) {
    r.fail(ErrorCode::out_of_range, std::to_string(n) + " values", allowed_length(f));
  }
  for (const Reader& element : items) append(list, element, *f.item);
}

void read_map(const Reader& r, const Form& map, void* values,
              void (*read)(void* values, std::size_t i, const Reader& r, const Form& item)) {
  Reader object = r;
  for (std::size_t i = 0; i < map.names.size(); ++i) {
    const auto found = object.find(std::string(map.names[i]));
    if (found) read(values, i, *found, *map.item);
  }
  object.reject_unknown();
}

void write_boolean(bool x, Json& out) { out = x; }
void write_whole(std::int64_t x, Json& out) { out = x; }
void write_number(double x, Json& out) { out = x; }
void write_quantity(double x, const Form& f, Json& out) { out = exact_text(x, f.dimension); }
void write_text(std::string_view x, Json& out) { out = std::string(x); }

bool write_read(const Reader& x, Json& out) {
  out = x.json();
  return true;
}

bool write_json(const GivenJson& x, Json& out) {
  if (x) out = *x;
  return x != nullptr;
}

bool write_object(const void* object, const KeyTable& keys, Json& out) {
  out = Json::object();
  write_known(keys, object, out);
  return !out.empty();
}

void write_list(const void* list, std::size_t size, const Form& item, Json& out,
                bool (*write)(const void* list, std::size_t i, const Form& item, Json& out)) {
  out = Json::array();
  for (std::size_t i = 0; i < size; ++i) {
    Json element;
    if (write(list, i, item, element)) out.push_back(std::move(element));
  }
}

void write_map(const void* values, const Form& map, Json& out,
               bool (*write)(const void* values, std::size_t i, const Form& item, Json& out)) {
  out = Json::object();
  for (std::size_t i = 0; i < map.names.size(); ++i) {
    Json element;
    if (write(values, i, *map.item, element)) out[std::string(map.names[i])] = std::move(element);
  }
}

}  // namespace key_values
}  // namespace orrery
