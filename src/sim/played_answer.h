// SPDX-License-Identifier: Apache-2.0
//
// A played step in estimate()'s words: its time, and of the busiest stage the terms that sum to it.
//
// Memory, messages and FLOPs are the closed form's. What a stage did that no other term names it
// waited: the bubble. Units: SI. Errors: none.
#pragma once

#include "sim/simulate.h"

namespace orrery {

// `s`: all of it but its answer. `run`: as it was played, whose prices `workspace` may hold.
Answer played_answer(const Run& run, Workspace& workspace, const Simulation& s);

}  // namespace orrery
