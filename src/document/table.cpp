// SPDX-License-Identifier: Apache-2.0
#include "document/table.h"

#include "core/one_line.h"

namespace orrery {

Column::Column(std::string t) : title(std::move(t)) {}
Column::Column(const char* t) : title(t) {}
Column::Column(std::string t, std::string k, bool is_right)
    : title(std::move(t)), key(std::move(k)), right(is_right) {}
Column::Column(const Column& other) = default;
Column::Column(Column&& other) noexcept = default;
Column& Column::operator=(const Column& other) = default;
Column& Column::operator=(Column&& other) noexcept = default;
Column::~Column() = default;

Column Column::at_least(std::size_t columns) const {
  Column changed = *this;
  changed.width = columns;
  return changed;
}

Column Column::wrapped(std::size_t columns) const {
  Column changed = at_least(columns);
  changed.wraps = true;
  return changed;
}

Column Column::only(Audience readers) const {
  Column changed = *this;
  changed.audience = readers;
  return changed;
}

Cell::Cell(const char* t) : text(t), value(t) {}
Cell::Cell(std::string t) : text(without_controls(std::move(t))), value(text) {}
Cell::Cell(std::string_view t) : Cell(std::string(t)) {}
Cell::Cell(std::string t, Value v) : text(without_controls(std::move(t))), value(std::move(v)) {}
Cell::Cell(std::string t, TextStyle i) : Cell(std::move(t)) { text_style = i; }
Cell::Cell(const Cell& other) = default;
Cell::Cell(Cell&& other) noexcept = default;
Cell& Cell::operator=(const Cell& other) = default;
Cell& Cell::operator=(Cell&& other) noexcept = default;
Cell::~Cell() = default;

Table::Table(std::vector<Column> columns, std::size_t indented)
    : indent(indented), columns_(std::move(columns)) {}
Table::Table(const Table& other) = default;
Table::Table(Table&& other) noexcept = default;
Table& Table::operator=(const Table& other) = default;
Table& Table::operator=(Table&& other) noexcept = default;
Table::~Table() = default;

void Table::add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

void Table::add_texts(const std::vector<std::string>& texts) {
  rows_.emplace_back(texts.begin(), texts.end());
}

Cell bar_cell(double share, TextStyle text_style) {
  Cell cell("", text_style);
  cell.share = share;
  return cell;
}

Cell count_cell(std::int64_t n) { return {grouped(n), n}; }

Cell data_cell(Value value) { return {"", std::move(value)}; }

Table Table::untitled() const {
  Table changed = *this;
  changed.has_titles = false;
  return changed;
}

Table bar_table(std::string of, std::string amount) {
  constexpr std::size_t kNumber = 10;
  constexpr std::size_t kShare = 7;
  return Table({Column(std::move(of)).at_least(kLabel - 2),
                Column(std::move(amount), true).at_least(kNumber),
                Column("share", true).at_least(kShare), Column("").at_least(kBar)},
               2)
      .untitled();
}

}  // namespace orrery
