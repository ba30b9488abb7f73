// SPDX-License-Identifier: Apache-2.0
//
// How a search may vary a key.
#pragma once

#include <cstdint>

#include "core/enum_names.h"

namespace orrery {

// A search may vary a key or not; where it does, it makes these tables of the chain price → stage →
// finish anew.
enum class Vary : std::uint8_t {
  never,   // no search varies it
  run,     // each value is a run of its own
  prices,  // times and bytes of a block, and all that follows
  stages,  // sums of a stage, and what follows
  finish,  // only the answer
};
constexpr EnumNames<Vary> names_of(Vary) { return {"never", "run", "prices", "stages", "finish"}; }

}  // namespace orrery
