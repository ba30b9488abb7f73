// SPDX-License-Identifier: Apache-2.0
//
// The links between the sites of a cluster. Leaves out: sites of different rates, other traffic.
// Units: SI. Errors: none.
#pragma once

#include <cstdint>

#include "orrery/quantity.h"

namespace orrery {

struct SiteLinks {
  std::int64_t count = 1;
  BytesPerSecond bandwidth{};  // of one site, in each direction
  Seconds latency{};
};

}  // namespace orrery
