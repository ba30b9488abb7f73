// SPDX-License-Identifier: Apache-2.0
//
// Recompute where a run file leaves it open: the least that fits in memory.
//
// None, selective, full of as few layers of each chunk as fit, full of all: the first that fits the
// device, else the last. Judged by whole estimates; what recompute costs in time is not weighed.
// Errors: none; the run is legal.
#pragma once

#include <string>

#include "estimate/run.h"

namespace orrery {

// Sets the run's recompute; returns it in words, for what was assumed.
std::string choose_least_recompute(Run& run);

}  // namespace orrery
