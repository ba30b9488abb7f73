// SPDX-License-Identifier: Apache-2.0
//
// Counts as the generator's formulas take them. Errors: none.
#pragma once

#include <cstdint>

#include "model/architecture.h"

namespace orrery {

constexpr double as_number(std::int64_t n) { return static_cast<double>(n); }

// Layers of this kind (layer_type()) in the model.
constexpr std::int64_t layers_of_type(const Architecture& a, std::size_t type) {
  std::int64_t n = 0;
  for (std::int64_t i = 0; i < a.layers; ++i) n += layer_type(a, i) == type ? 1 : 0;
  return n;
}

}  // namespace orrery
