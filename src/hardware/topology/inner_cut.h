// SPDX-License-Identifier: Apache-2.0
//
// Cuts inside a unit of a tier that are tighter than a crossbar of its children's links.
//
// With k children that send at `rate` each, an all-to-all needs a·b/(k − 1) times that across a cut
// with a children on one side and b on the other, and a ring needs `rate`. Three kinds of cut are
// tried: equal blocks of neighbours against the rest, the first k children against the rest, and
// the first child against any other. With more than 16 children about 8 of each kind are tried, and
// only in units with different surroundings (graph_fold.h). Leaves out other cuts. Errors: none.
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
