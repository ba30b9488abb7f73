// SPDX-License-Identifier: Apache-2.0
//
// Collectives by the names that other tools give them. Errors: none.
//
// How other tools give a collective's size: the full buffer, S of network/collective.h. Units:
// bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "network/collective.h"

namespace orrery {

// In small letters, without separators and without the caller that DeepSpeed's debug mode adds.
std::string plain_name(std::string_view operation);

// "all_gather_into_tensor", "allreduce", "isend", …; nothing for operations that receive, wait or
// have no prediction (recv, barrier, gather, scatter).
std::optional<Collective> collective_named(std::string_view operation);

// The buffer for which a rank puts `sent` bytes on the wire (network/volume.h).
inline double full_buffer(Collective c, std::int64_t ranks, double sent) {
  const double each = static_cast<double>(ranks) / static_cast<double>(ranks - 1);
  return c == Collective::all_reduce ? sent * each / 2 : sent * each;
}

}  // namespace orrery
