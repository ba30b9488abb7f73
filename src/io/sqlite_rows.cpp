// SPDX-License-Identifier: Apache-2.0
#include "io/sqlite_rows.h"

#include <sqlite3.h>

#include <utility>

#include "core/error.h"

namespace orrery {
namespace {

constexpr const char* kWritableDatabase =
    "a database of `orrery sweep --sqlite` that can be written";

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

class Statement {
 public:
  Statement(sqlite3* base, const std::string& text) {
    sqlite3_prepare_v2(base, text.c_str(), -1, &statement_, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  sqlite3_stmt* get() const { return statement_; }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

void bind(sqlite3_stmt* s, int at, const Json& value) {
  if (value.is_null()) {
    sqlite3_bind_null(s, at);
  } else if (value.is_boolean()) {
    sqlite3_bind_int(s, at, value.get<bool>() ? 1 : 0);
  } else if (value.is_number_integer()) {
    sqlite3_bind_int64(s, at, value.get<std::int64_t>());
  } else if (value.is_number()) {
    sqlite3_bind_double(s, at, value.get<double>());
  } else {
    const std::string text = bare_text(value);
    sqlite3_bind_text(s, at, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
}

Json cell(sqlite3_stmt* s, int at) {
  if (sqlite3_column_type(s, at) == SQLITE_INTEGER) {
    return static_cast<std::int64_t>(sqlite3_column_int64(s, at));
  }
  if (sqlite3_column_type(s, at) == SQLITE_FLOAT) return sqlite3_column_double(s, at);
  const unsigned char* text = sqlite3_column_text(s, at);
  return text == nullptr ? Json() : Json(reinterpret_cast<const char*>(text));
}

}  // namespace

SqliteRows::SqliteRows(std::string path) : path_(std::move(path)), base_(nullptr, sqlite3_close) {
  // A database that cannot be opened must be closed too.
  sqlite3* base = nullptr;
  const int status = sqlite3_open(path_.c_str(), &base);
  base_.reset(base);
  if (status != SQLITE_OK) fail(kWritableDatabase);
  // One writer: a second orrery on the same file fails at once.
  run("PRAGMA locking_mode = EXCLUSIVE");
  run("BEGIN IMMEDIATE");
  run("COMMIT");
}

bool SqliteRows::has_table() {
  const Statement table(base_.get(), "SELECT 1 FROM sqlite_master WHERE name = 'rows'");
  return sqlite3_step(table.get()) == SQLITE_ROW;
}

bool SqliteRows::has_rows() {
  if (!has_table()) return false;
  const Statement any(base_.get(), "SELECT 1 FROM rows LIMIT 1");
  return sqlite3_step(any.get()) == SQLITE_ROW;
}

std::int64_t SqliteRows::visit(
    const std::function<void(std::int64_t row, const Json& cells)>& see) {
  if (!has_table()) return 0;
  const Statement s(base_.get(), "SELECT * FROM rows ORDER BY point");
  if (s.get() == nullptr) fail(kWritableDatabase);
  const int columns = sqlite3_column_count(s.get());
  std::int64_t rows = 0;
  Json cells;
  while (sqlite3_step(s.get()) == SQLITE_ROW) {
    for (int i = 0; i < columns; ++i) cells[sqlite3_column_name(s.get(), i)] = cell(s.get(), i);
    see(rows++, cells);
  }
  return rows;
}

void SqliteRows::make_table(const Json& row) {
  std::string columns;
  for (const auto& [key, value] : row.items()) {
    columns += (columns.empty() ? "" : ", ") + quoted(key) +
               (key == "point" ? " INTEGER PRIMARY KEY" : "");
  }
  run("CREATE TABLE IF NOT EXISTS rows (" + columns + ")");
}

void SqliteRows::append(const std::vector<Json>& rows) {
  if (rows.empty()) return;
  run("BEGIN IMMEDIATE");
  make_table(rows.front());
  std::string marks;
  for (std::size_t i = 0; i < rows.front().size(); ++i) marks += i == 0 ? "?" : ", ?";
  const Statement s(base_.get(), "INSERT INTO rows VALUES (" + marks + ")");
  if (s.get() == nullptr) fail(kWritableDatabase);
  for (const Json& row : rows) {
    int at = 0;
    for (const Json& value : row) bind(s.get(), ++at, value);
    if (sqlite3_step(s.get()) != SQLITE_DONE) fail("room for the rows; run it again to go on");
    sqlite3_reset(s.get());
  }
  run("COMMIT");
}

void SqliteRows::run(const std::string& statement) {
  if (sqlite3_exec(base_.get(), statement.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail(kWritableDatabase);
  }
}

void SqliteRows::fail(const std::string& allowed) const {
  throw InputError(path_, "", base_ == nullptr ? "no memory" : sqlite3_errmsg(base_.get()),
                   allowed);
}

}  // namespace orrery
