// SPDX-License-Identifier: Apache-2.0
//
// Cuts inside a unit of a tier that a crossbar of its children's links has not.
//
// Of k children that send at `rate` each, a ring needs `rate` across every cut, and an all-to-all
// a·b/(k − 1) times that across one with a children on one side and b on the other. Tried are the
// least cut between the first child and any other, and blocks of 2, 4, … children side by side
// against the rest. Of more than 16 children 16 are tried, and the first and last block; of more
// than 64 units the first 64. Leaves out blocks that lie otherwise. Errors: none.
#pragma once

#include <cstdint>
#include <optional>

#include "hardware/topology/routes.h"
#include "orrery/quantity.h"

namespace orrery {

struct InnerCut {
  BytesPerSecond bandwidth{};
  BytesPerSecond needed{};
  std::int64_t side = 0;    // children on one side; 0: between two of them, wherever it lies
  std::int64_t others = 0;  // children on the other
};

// The first cut of each kind that carries less than children in units of `size` need at `rate`.
std::optional<InnerCut> cut_below_a_ring(Routes& r, std::int64_t inside, std::int64_t size,
                                         BytesPerSecond rate);
std::optional<InnerCut> cut_below_an_exchange(Routes& r, std::int64_t inside, std::int64_t size,
                                              BytesPerSecond rate);

}  // namespace orrery
