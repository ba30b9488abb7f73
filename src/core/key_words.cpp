// SPDX-License-Identifier: Apache-2.0
#include "core/key_words.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "core/units.h"

namespace orrery {
namespace {

std::string range_words(const std::string& lowest, const std::string& highest, bool bounded,
                        std::string_view unit) {
  const std::string range = bounded ? lowest + " to " + highest : "at least " + lowest;
  return range + (unit.empty() ? "" : " " + std::string(unit));
}

// 1048576 is 2^20: beyond what people read at a glance, powers say more.
std::string count_words(std::int64_t n) {
  if (n < 4096 || (n & (n - 1)) != 0) return std::to_string(n);
  int power = 0;
  for (std::int64_t m = n; m > 1; m /= 2) ++power;
  return "2^" + std::to_string(power);
}

std::string names_words(std::span<const std::string_view> names) {
  return alternatives({names.begin(), names.end()});
}

std::string names_in(const KeyTable& table) {
  std::string names;
  for (const Key& k : table.keys) names += (names.empty() ? "" : ", ") + std::string(k.name);
  return names;
}

// `orrery list models`, but `orrery list storage`.
std::string list_name(const Form& f) {
  constexpr std::array<std::string_view, 5> kWithoutPlural = {"failures", "recovery", "storage",
                                                              "prices", "energy"};
  const bool plural =
      std::find(kWithoutPlural.begin(), kWithoutPlural.end(), f.what) == kWithoutPlural.end();
  return std::string(f.what) + (plural ? "s" : "");
}

std::string document_words(const Form& f) {
  return "a name of `orrery list " + list_name(f) + "`, a path or an object";
}

std::string number_words(const Form& f) {
  const std::string unit = f.unit.empty() ? "" : " " + std::string(f.unit);
  if (f.least != kAboveZero) {
    return range_words(shortest(f.least), shortest(f.most), std::isfinite(f.most), f.unit);
  }
  return "above 0" + (std::isfinite(f.most) ? ", to " + shortest(f.most) : "") + unit;
}

std::string list_words(const Form& f);
std::string map_words(const Form& f);

std::string words(const Form& f) {
  switch (f.kind) {
    case FormKind::boolean:
      return "true or false";
    case FormKind::whole:
      return range_words(count_words(f.lowest), count_words(f.highest), f.highest != kNoHighest,
                         f.unit);
    case FormKind::number:
      return number_words(f);
    case FormKind::quantity:
      return "a quantity such as \"" + example_of(f.dimension) + "\"";
    case FormKind::text:
    case FormKind::any:
      return std::string(f.what);
    case FormKind::choice:
      return names_words(f.names);
    case FormKind::list:
      return list_words(f);
    case FormKind::either:
      return values_words(*f.others);
    case FormKind::object:
      return f.object->besides.in_words ? "{" + names_in(*f.object) + "}" : "an object";
    case FormKind::map:
      return map_words(f);
    case FormKind::document:
      return document_words(f);
  }
  return "";
}

std::string list_words(const Form& f) {
  const bool bounded = f.lowest > 0 && f.highest != kNoHighest;
  const std::string many =
      bounded ? " of " + std::to_string(f.lowest) + " to " + std::to_string(f.highest) : "";
  return "a list" + many + (bounded ? ": " : " of: ") + words(*f.item);
}

std::string map_words(const Form& f) {
  const std::string of = f.names.empty() ? "" : ", by " + names_words(f.names);
  return "an object of: " + words(*f.item) + of;
}

constexpr EnumArray<FormKind, std::string_view> kKindWords = {
    "boolean", "whole number", "number", "quantity", "text", "choice",
    "list",    "object",       "object", "document", "any",  "any"};

void add_lines(const KeyTable& table, const std::string& prefix, std::vector<KeyLine>& lines);

// An object with a name has a list of its own.
bool has_lines(const Form& f) {
  return f.kind == FormKind::object && f.what.empty() && !f.object->besides.in_words;
}

// The keys of objects that have this form, or that a list or map of it holds.
void add_lines_of(const Form& f, const std::string& path, std::vector<KeyLine>& lines) {
  if (has_lines(f)) add_lines(*f.object, path + ".", lines);
  if (f.kind == FormKind::list) add_lines_of(*f.item, path + "[]", lines);
  if (f.kind == FormKind::map) add_lines_of(*f.item, path + ".*", lines);
  if (f.kind != FormKind::either) return;
  for (const Form& other : *f.others) add_lines_of(other, path, lines);
}

void add_lines(const KeyTable& table, const std::string& prefix, std::vector<KeyLine>& lines) {
  for (const Key& k : table.keys) {
    const std::string path = prefix + std::string(k.name);
    lines.push_back({path, &k});
    for (const Form& f : k.forms) add_lines_of(f, path, lines);
  }
}

}  // namespace

std::string values_words(const Forms& forms) {
  std::string text;
  for (const Form& f : forms) text += (text.empty() ? "" : "; or ") + words(f);
  return text;
}

std::string kind_words(const Forms& forms) {
  std::string text;
  for (const Form& f : forms)
    text += (text.empty() ? "" : " or ") + std::string(kKindWords[f.kind]);
  return text;
}

std::vector<std::string> choices_of(const Forms& forms) {
  constexpr std::int64_t kFew = 10;
  const Form& f = forms.front();
  if (f.kind == FormKind::boolean) return {"true", "false"};
  if (f.kind == FormKind::choice) return {f.names.begin(), f.names.end()};
  std::vector<std::string> values;
  if (f.kind != FormKind::whole || f.highest - kFew >= f.lowest) return values;
  for (std::int64_t n = f.lowest; n <= f.highest; ++n) values.push_back(std::to_string(n));
  return values;
}

std::string list_of(const Forms& forms) {
  const Form& f = forms.front();
  return f.kind == FormKind::document ? list_name(f) : "";
}

std::vector<KeyLine> key_lines(const KeyTable& table) {
  std::vector<KeyLine> lines;
  add_lines(table, "", lines);
  return lines;
}

}  // namespace orrery
