// SPDX-License-Identifier: Apache-2.0
//
// Bytes that one rank puts on the wire, on average over the group, in terms of the full buffer S
// (network/collective.h): 2(n − 1)/n·S in an all-reduce, (n − 1)/n·S in an all-gather,
// reduce-scatter, all-to-all, broadcast or reduce, S between two points. These are the least bytes
// without arithmetic in the network, and ring, tree and hierarchical all send exactly them. busbw
// counts an all-reduce in the switch the same, though a rank then sends S (bytes_sent()). Errors:
// none.
#pragma once

#include <cstdint>

#include "core/number.h"
#include "network/collective.h"
#include "orrery/quantity.h"

namespace orrery {

// (n − 1)/n of the buffer.
template <Number R>
BytesOf<R> others_part(BytesOf<R> full, std::int64_t n_units) {
  const R n = count<R>(n_units, {"members that exchange", ""});
  return named(full * ((n - R(1)) / n), {"(n − 1)/n of the buffer", ""});
}

template <Number R>
BytesOf<R> bytes_on_wire(Collective kind, std::int64_t ranks, BytesOf<R> full) {
  if (kind == Collective::point_to_point) return full;
  const auto once = others_part(full, ranks);
  return kind == Collective::all_reduce ? R(2) * once : once;
}

// Bytes that one rank puts on the wire by this algorithm: in the switch its own buffer, which comes
// back summed.
template <Number R>
BytesOf<R> bytes_sent(Algorithm a, Collective kind, std::int64_t ranks, BytesOf<R> full) {
  const bool adds_up = a == Algorithm::in_switch && kind == Collective::all_reduce;
  return adds_up ? full : bytes_on_wire(kind, ranks, full);
}

}  // namespace orrery
