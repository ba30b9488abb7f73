// SPDX-License-Identifier: Apache-2.0
#include "exchange/names.h"

namespace orrery {
namespace {

constexpr double kMostNumber = 1e6;

void read_row(const NameRow& row, Settings& settings, Json& run) {
  if (row.kind == NameKind::count) {
    if (const auto n = settings.count(row.theirs)) set_at(run, row.ours, *n);
  } else if (row.kind == NameKind::degree) {
    if (const auto n = settings.count(row.theirs, 1, kMostDegree)) set_at(run, row.ours, *n);
  } else if (row.kind == NameKind::number) {
    if (const auto x = settings.number(row.theirs, 0, kMostNumber)) set_at(run, row.ours, *x);
  } else if (const auto truth = settings.flag(row.theirs)) {
    set_at(run, row.ours, row.kind == NameKind::negated ? !*truth : *truth);
  }
}

}  // namespace

const Json& value_at(const Json& document, std::string_view path) {
  static const Json kNothing;
  const Json* at = &document;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string key(path.substr(0, dot));
    if (!at->is_object() || !at->contains(key)) return kNothing;
    at = &(*at)[key];
    path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  }
  return *at;
}

void set_at(Json& document, std::string_view path, Json value) {
  Json* at = &document;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    if (!at->is_object()) *at = Json::object();
    at = &(*at)[std::string(path.substr(0, dot))];
    path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  }
  *at = std::move(value);
}

void erase_at(Json& document, std::string_view path) {
  const std::size_t dot = path.rfind('.');
  const std::string key(dot == std::string_view::npos ? path : path.substr(dot + 1));
  const std::string_view parent = dot == std::string_view::npos ? "" : path.substr(0, dot);
  if (!value_at(document, parent).contains(key)) return;
  Json copy = value_at(document, parent);
  copy.erase(key);
  if (parent.empty()) {
    document = std::move(copy);
  } else {
    set_at(document, parent, std::move(copy));
  }
}

void read_rows_of(std::span<const NameRow> rows, Settings& settings, Json& run) {
  for (const NameRow& row : rows) read_row(row, settings, run);
}

}  // namespace orrery
