// SPDX-License-Identifier: Apache-2.0
//
// Recompute where a run file leaves it open: the least that fits in memory.
//
// None, selective, full of as few layers of each chunk as fit, full of all, as far as the framework
// has them: the first that fits the device with the probability asked for (estimate/risk.h), else
// the last. Judged by whole
// estimates; what recompute costs in time is not weighed. Errors: none; the run is legal.
#pragma once

#include "core/fact.h"
#include "estimate/workspace.h"

namespace orrery {

struct Run;

// Sets the run's recompute; returns it in words, with why. Prices and parts of the run as chosen
// then stand in the workspace.
Fact choose_least_recompute(Run& run, Workspace& workspace);

}  // namespace orrery
