// SPDX-License-Identifier: Apache-2.0
//
// busbw over algbw, as nccl-tests has it (doc/PERFORMANCE.md there): 2(n − 1)/n of an all-reduce,
// (n − 1)/n of all-gather, reduce-scatter and all-to-all, 1 of the others, of n ranks.
// Errors: none.
#pragma once

#include <cstdint>

#include "network/collective.h"

namespace orrery {

constexpr double bus_factor(Collective kind, std::int64_t ranks) {
  const auto n = static_cast<double>(ranks);
  switch (kind) {
    case Collective::all_reduce:
      return 2 * (n - 1) / n;
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::all_to_all:
      return (n - 1) / n;
    case Collective::point_to_point:
    case Collective::broadcast:
    case Collective::reduce:
      return 1;
  }
  return 1;
}

}  // namespace orrery
