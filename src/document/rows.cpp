// SPDX-License-Identifier: Apache-2.0
#include "document/rows.h"

#include "core/json.h"
#include "core/units.h"
#include "document/escape.h"

namespace orrery {
namespace {

struct CsvText {
  std::string operator()(std::monostate /*null*/) const { return ""; }
  std::string operator()(bool b) const { return b ? "true" : "false"; }
  std::string operator()(std::int64_t n) const { return std::to_string(n); }
  std::string operator()(double x) const { return shortest(x); }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(const std::vector<std::string>& texts) const { return Json(texts).dump(); }
  std::string operator()(const Value::Structured& json) const { return json->dump(); }
};

const std::string& key_of(const Column& c) { return c.key.empty() ? c.title : c.key; }

}  // namespace

std::string csv_of(const Table& table) {
  std::string names;
  std::string lines;
  const std::vector<Column>& columns = table.columns();
  const auto visit = [&](auto&& add) {
    bool is_first = true;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].audience == Audience::people) continue;
      add(i, is_first ? "" : ",");
      is_first = false;
    }
  };
  visit(
      [&](std::size_t i, const char* comma) { names += comma + csv_escaped(key_of(columns[i])); });
  for (const auto& row : table.rows()) {
    visit([&](std::size_t i, const char* comma) {
      lines += comma + csv_escaped(row[i].value.visit(CsvText{}));
    });
    lines += "\n";
  }
  return names + "\n" + lines;
}

Json json_rows(const Table& table) {
  Json list = Json::array();
  for (const auto& row : table.rows()) {
    Json entry = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Column& c = table.columns()[i];
      if (c.audience != Audience::people) entry[key_of(c)] = json_value(row[i].value);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace orrery
