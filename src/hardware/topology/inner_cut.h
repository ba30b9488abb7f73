// SPDX-License-Identifier: Apache-2.0
//
// Cuts inside a unit of a tier that a crossbar of its children's links has not.
//
// Of k children that send at `rate` each, an all-to-all needs a·b/(k − 1) times that across a cut
// with a children on one side and b on the other, and a ring `rate`. Tried are equal blocks side by
// side against the rest, the first k children against the rest, and the first child against any
// other. Of more than 16 children about 8 of each are tried, and of units only those whose
// surroundings differ (graph_fold.h). Leaves out parts that lie otherwise. Errors: none.
#pragma once

#include <cstdint>

#include "hardware/topology/routes.h"
#include "orrery/quantity.h"

namespace orrery {

struct InnerCut {
  double carried = 1;      // of what is needed there; 1 where no cut is tight
  std::int64_t block = 0;  // children of an equal block; 0: no such block
  BytesPerSecond bandwidth{};
};

// The tightest cut around equal blocks of children.
InnerCut tightest_block(Routes& r, std::int64_t inside, std::int64_t size, BytesPerSecond rate);

// The tightest of those around the first children, however many, and between two.
InnerCut tightest_cut(Routes& r, std::int64_t inside, std::int64_t size, BytesPerSecond rate);

}  // namespace orrery
