// SPDX-License-Identifier: Apache-2.0
//
// How other tools give a collective's size: the full buffer, S of network/collective.h. Units:
// bytes.
#pragma once

#include <cstdint>

#include "network/collective.h"

namespace orrery {

// The buffer for which a rank puts `sent` bytes on the wire (network/volume.h).
inline double full_buffer(Collective c, std::int64_t ranks, double sent) {
  const double each = static_cast<double>(ranks) / static_cast<double>(ranks - 1);
  return c == Collective::all_reduce ? sent * each / 2 : sent * each;
}

}  // namespace orrery
