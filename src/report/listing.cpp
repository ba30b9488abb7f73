// SPDX-License-Identifier: Apache-2.0
#include "report/listing.h"

#include "document/words.h"

namespace orrery {
namespace {

std::string csv_text(const Json& v) {
  if (v.is_string()) return v.get<std::string>();
  if (v.is_null()) return "";
  return v.is_number_float() ? plain_number(v.get<double>()) : v.dump();
}

}  // namespace

std::string Listing::text() const {
  std::vector<TableColumn> columns;
  for (const ListColumn& c : columns_) columns.push_back({c.title, c.right_aligned});
  Table table(std::move(columns));
  for (const auto& row : rows_) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(cell.text);
    table.add(std::move(cells));
  }
  return table.text();
}

std::string Listing::csv() const {
  std::vector<TableColumn> columns;
  for (const ListColumn& c : columns_) columns.push_back({c.key});
  Table table(std::move(columns));
  for (const auto& row : rows_) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) {
      cells.push_back(csv_text(cell.value));
    }
    table.add(std::move(cells));
  }
  return table.csv();
}

Json Listing::json() const {
  Json list = Json::array();
  for (const auto& row : rows_) {
    Json entry = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) entry[columns_[i].key] = row[i].value;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace orrery
