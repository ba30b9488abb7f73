// SPDX-License-Identifier: Apache-2.0
//
// A codec around a collective, as a plain value: fewer bytes on the wire, and time to compress and
// decompress them. Its effect on a collective's time is in network/coded_cost.h. Units: SI.
// Errors: none.
#pragma once

#include "orrery/quantity.h"

namespace orrery {

struct Codec {
  double ratio = 1;             // bytes before over bytes after
  BytesPerSecond compress{};    // of bytes before it; 0: takes no time
  BytesPerSecond decompress{};  // of bytes after it
  Seconds call{};               // to start either, once
  bool recompresses = true;     // at each hop of a reduction
  bool lossless = false;

  bool operator==(const Codec&) const = default;
};

constexpr bool is_on(const Codec& c) {
  return c.ratio != 1 || c.compress.si() > 0 || c.decompress.si() > 0 || c.call.si() > 0;
}

}  // namespace orrery
