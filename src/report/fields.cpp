// SPDX-License-Identifier: Apache-2.0
#include "report/fields.h"

#include "core/json.h"

namespace orrery {

void add_field(Json& object, const FieldHead& head, const Cell& cell) {
  object[head.key] = json_value(cell.value);
}

void add_column(std::vector<Column>& columns, const FieldHead& head) {
  if (head.title != nullptr) columns.emplace_back(head.title, head.column, head.right);
}

}  // namespace orrery
