// SPDX-License-Identifier: Apache-2.0
//
// The micro batches that a stage of a written-out schedule holds, chunk by chunk, at the moments
// that may be its fullest.
//
// From forward to the gradient of its input a micro batch keeps all it saved; from there to the
// gradient of the weights, what that needs. Which moment is the fullest depends on how much that is
// of each chunk: those at which no other moment holds as much of everything. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "parallel/schedules/schedule.h"

namespace orrery {

// Micro batches of one chunk. Nothing is set by itself: an estimate has a thousand of them on its
// stack and uses a few.
struct HeldChunk {
  std::int64_t whole;
  std::int64_t for_weights;

  bool operator==(const HeldChunk&) const = default;
};

// `chunks` entries a moment, one moment after the other.
std::vector<HeldChunk> fullest_moments(const Program& program, std::int64_t chunks);

}  // namespace orrery
