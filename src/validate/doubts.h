// SPDX-License-Identifier: Apache-2.0
//
// Presumed faults of badly predicted rows: validation/doubts.json.
//
// A JSON array of {"rows", "of", "whose", "why"}: `rows` are ids, a "*" at the end stands for any
// rest; `of` is "time" (where it is absent) or "memory"; `whose` is "ours" (the model or its
// constants), "theirs" (the published row) or "unknown". The first that names a row is its doubt.
// Errors: InputError with file and path.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"

namespace orrery {

enum class Whose : std::uint8_t { ours, theirs, unknown };
constexpr EnumNames<Whose> names_of(Whose) { return {"ours", "theirs", "unknown"}; }

enum class DoubtOf : std::uint8_t { time, memory };
constexpr EnumNames<DoubtOf> names_of(DoubtOf) { return {"time", "memory"}; }

struct Doubt {
  std::vector<std::string> rows;
  DoubtOf of = DoubtOf::time;
  Whose whose = Whose::unknown;
  std::string why;
};

std::vector<Doubt> read_doubts(std::string_view text, const std::string& file);

// nullptr where nothing is said of the row.
const Doubt* doubt_of(const std::vector<Doubt>& doubts, DoubtOf of, const std::string& id);

}  // namespace orrery
