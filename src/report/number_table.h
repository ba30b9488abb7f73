// SPDX-License-Identifier: Apache-2.0
//
// Tables of numbers: the first column is words and left-aligned, the others are numbers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "document/document.h"

namespace orrery {

inline Table number_table(std::vector<std::string> titles) {
  std::vector<Column> columns;
  for (std::string& title : titles) columns.emplace_back(std::move(title), !columns.empty());
  return Table(std::move(columns));
}

// Adds the table as a section of its own, unless it has no rows.
inline void add_table(AnswerDocument& document, Table table) {
  if (!table.empty()) document.add({}).add(std::move(table));
}

}  // namespace orrery
