// SPDX-License-Identifier: Apache-2.0
//
// The dimensions of a strategy along which a GPU talks. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/enum_names.h"

namespace orrery {

enum class CommDimension : std::uint8_t { tp, cp, ep, etp, pp, embedding, dp, edp };
constexpr EnumNames<CommDimension> names_of(CommDimension) {
  return {"tp", "cp", "ep", "etp", "pp", "embedding", "dp", "edp"};
}

}  // namespace orrery
