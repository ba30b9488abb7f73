// SPDX-License-Identifier: Apache-2.0
//
// The fields of a row of an answer, said once: the JSON object and the row of the table (text, CSV,
// pages) are loops over one list.
//
//   constexpr std::array<RowField<Point>, 2> kFields = {{
//       {"time_s", "time", "time_s", [](const Point& p) { return Cell(…, p.time.si()); }},
//       {"fastest_time_s", nullptr, "", [](const Point& p) { return data_cell(…); }}}};
//   Table table = field_table(kFields, points);  add_fields(kFields, points[0], json);
//
// A field has no key where the JSON leaves it out, and no title where tables do. Its cell holds the
// text for people and the value for programs. Errors: none.
#pragma once

#include <utility>
#include <vector>

#include "core/json_fwd.h"
#include "document/table.h"

namespace orrery {

struct FieldHead {
  const char* key;     // in JSON
  const char* title;   // of the column
  const char* column;  // the column's key in CSV; "": its title
  bool right = true;   // a number
};

template <class Row>
struct RowField {
  const char* key;
  const char* title;
  const char* column;
  Cell (*cell)(const Row&);
  bool right = true;

  FieldHead head() const { return {key, title, column, right}; }
};

void add_field(Json& object, const FieldHead& head, const Cell& cell);
void add_column(std::vector<Column>& columns, const FieldHead& head);

// Adds the fields to an object, in their order.
template <class Fields, class Row>
void add_fields(const Fields& fields, const Row& row, Json& object) {
  for (const auto& f : fields) {
    if (f.key != nullptr) add_field(object, f.head(), f.cell(row));
  }
}

template <class Fields, class Rows>
Table field_table(const Fields& fields, const Rows& rows) {
  std::vector<Column> columns;
  for (const auto& f : fields) add_column(columns, f.head());
  Table table(columns);
  for (const auto& row : rows) {
    std::vector<Cell> cells;
    for (const auto& f : fields) {
      if (f.title != nullptr) cells.push_back(f.cell(row));
    }
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace orrery
