// SPDX-License-Identifier: Apache-2.0
//
// Rows of the tables of names: a setting of another tool and a key of the run file with the same
// meaning and unit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "exchange/settings.h"

namespace orrery {

enum class NameKind : std::uint8_t {
  count,    // a whole number
  degree,   // from 1 to 2²⁰
  number,   // from 0 to 10⁶
  flag,     // there or not; true or false
  negated,  // there where our key is false
  boolean,  // always written, true or false
};

struct NameRow {
  std::string_view theirs;
  std::string_view ours;  // path in the run file
  NameKind kind = NameKind::count;
};

// Each row's setting, where it is given, to its key.
void read_rows_of(std::span<const NameRow> rows, Settings& settings, Json& run);

}  // namespace orrery
