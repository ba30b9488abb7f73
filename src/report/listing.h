// SPDX-License-Identifier: Apache-2.0
//
// A list of like things: a table for a person, CSV and JSON objects for programs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/json.h"
#include "document/table.h"

namespace orrery {

struct ListColumn {
  std::string title;
  std::string key;  // in JSON and CSV, with its unit
  bool right_aligned = false;
};

// What is read and what is shown; alike where nothing else is said.
struct Cell {
  std::string text;
  Json value;

  Cell(const char* t) : text(t), value(t) {}                // NOLINT
  Cell(std::string t) : text(std::move(t)), value(text) {}  // NOLINT
  Cell(std::string t, Json v) : text(std::move(t)), value(std::move(v)) {}
};

class Listing {
 public:
  explicit Listing(std::vector<ListColumn> columns) : columns_(std::move(columns)) {}
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

  std::string text() const;
  std::string csv() const;
  Json json() const;

 private:
  std::vector<ListColumn> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace orrery
