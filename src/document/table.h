// SPDX-License-Identifier: Apache-2.0
//
// A table of cells: for each what a person reads and the value a program reads.
//
// Text, CSV, JSON and pages are made of the same rows. A column may be for one of both readers only
// (`audience`); a column without a key has its title as key. The members of all three are compiled
// once, in table.cpp: every report makes many.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "document/phrase.h"
#include "document/value.h"
#include "document/words.h"

namespace orrery {

enum class Audience : std::uint8_t { all, people, programs };

struct Column {
  Column(std::string t);  // NOLINT
  Column(const char* t);  // NOLINT
  Column(std::string t, std::same_as<bool> auto is_right) : Column(std::move(t)) {
    right = is_right;
  }
  Column(std::string t, std::string k, bool is_right = false);
  Column(const Column& other);
  Column(Column&& other) noexcept;
  Column& operator=(const Column& other);
  Column& operator=(Column&& other) noexcept;
  ~Column();

  std::string title;
  std::string key;        // in JSON and CSV, with its unit
  bool right = false;     // aligned
  bool wraps = false;     // prose: takes further lines where the table is too wide
  std::size_t width = 0;  // at least, in plain text; of bars, at most
  Audience audience = Audience::all;

  Column at_least(std::size_t columns) const;
  Column wrapped(std::size_t columns = 0) const;
  Column only(Audience readers) const;
};

struct Cell {
  Cell(const char* t);       // NOLINT
  Cell(std::string t);       // NOLINT
  Cell(std::string_view t);  // NOLINT
  Cell(std::string t, Value v);
  Cell(std::string t, TextStyle i);
  Cell(const Cell& other);
  Cell(Cell&& other) noexcept;
  Cell& operator=(const Cell& other);
  Cell& operator=(Cell&& other) noexcept;
  ~Cell();

  std::string text;
  Value value;
  TextStyle text_style = TextStyle::plain;
  double share = -1;  // of a bar that stands here instead of a text; below 0: none
};

Cell bar_cell(double share, TextStyle text_style = TextStyle::blue);
Cell count_cell(std::int64_t n);  // "1,024"
Cell data_cell(Value value);      // for programs only

class Table {
 public:
  explicit Table(std::vector<Column> columns = {}, std::size_t indented = 0);
  Table(const Table& other);
  Table(Table&& other) noexcept;
  Table& operator=(const Table& other);
  Table& operator=(Table&& other) noexcept;
  ~Table();

  void add(std::vector<Cell> row);  // one cell a column
  // The same of texts; a template, so that braces still mean cells.
  void add(const std::same_as<std::vector<std::string>> auto& texts) { add_texts(texts); }
  bool empty() const { return rows_.empty(); }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }

  Table untitled() const;  // plain text has no line of titles

  std::size_t indent = 0;
  bool has_titles = true;

 private:
  void add_texts(const std::vector<std::string>& texts);

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// Names, amounts, their shares of a whole, and bars of them: `add` takes four cells a row.
Table bar_table(std::string of, std::string amount);

}  // namespace orrery
