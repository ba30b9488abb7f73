// SPDX-License-Identifier: Apache-2.0
//
// Rows of text as aligned columns or as CSV (RFC 4180).
#pragma once

#include <string>
#include <vector>

namespace orrery {

struct TableColumn {
  std::string name;
  bool right_aligned = false;
};

class Table {
 public:
  explicit Table(std::vector<TableColumn> columns);
  void add(std::vector<std::string> row);  // one cell a column
  std::string text(std::size_t indent = 0) const;
  std::string csv() const;
  bool empty() const { return rows_.empty(); }

 private:
  std::vector<TableColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace orrery
