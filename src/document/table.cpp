// SPDX-License-Identifier: Apache-2.0
#include "document/table.h"

#include <algorithm>
#include <utility>

#include "document/words.h"

namespace orrery {
namespace {

std::string without_trailing_space(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + csv_cell(cells[i]);
  return line + "\n";
}

}  // namespace

Table::Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

std::string Table::text(std::size_t indent) const {
  std::vector<std::string> names;
  std::vector<std::size_t> widths;
  for (const TableColumn& c : columns_) names.push_back(c.name);
  for (std::size_t i = 0; i < names.size(); ++i) {
    widths.push_back(width_of(names[i]));
    for (const auto& row : rows_) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out(indent, ' ');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) out += "  ";
      out += columns_[i].right_aligned ? right(cells[i], widths[i]) : left(cells[i], widths[i]);
    }
    return without_trailing_space(out) + "\n";
  };
  std::string out = line(names);
  for (const auto& row : rows_) out += line(row);
  return out;
}

std::string Table::csv() const {
  std::vector<std::string> names;
  for (const TableColumn& c : columns_) names.push_back(c.name);
  std::string out = csv_line(names);
  for (const auto& row : rows_) out += csv_line(row);
  return out;
}

}  // namespace orrery
