// SPDX-License-Identifier: Apache-2.0
#include "document/table.h"

namespace orrery {

Cell bar_cell(double share, Ink ink) {
  Cell cell("", ink);
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
