// SPDX-License-Identifier: Apache-2.0
//
// Rows in an SQLite database: one table `rows` with a column for each key of the first row; `point`
// is the primary key. Each append is one transaction, so a kill leaves whole batches.
//
// Errors: InputError that names the file: not a database, a different table, a full disk.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/json.h"

struct sqlite3;

namespace orrery {

class SqliteRows {
 public:
  explicit SqliteRows(std::string path);  // created if missing

  bool has_rows();

  // Shows each row, by point, one at a time; gives their number. A boolean is 0 or 1 here.
  std::int64_t visit(const std::function<void(std::int64_t row, const Json& cells)>& see);

  // Rows are objects with equal keys; values are texts, numbers, booleans or null; others become
  // JSON text.
  void append(const std::vector<Json>& rows);

 private:
  [[noreturn]] void fail(const std::string& allowed) const;
  void run(const std::string& statement);
  bool has_table();
  void make_table(const Json& row);

  std::string path_;
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> base_;
};

}  // namespace orrery
