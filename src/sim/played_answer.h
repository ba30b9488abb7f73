// SPDX-License-Identifier: Apache-2.0
//
// A simulated step as an answer of estimate(): its time, the terms of the busiest stage, which sum
// to it, and the messages of that stage, whose exposed times sum to the terms (stage_lines.h).
//
// Memory and FLOPs are those of the closed form. Time of a stage that no other term covers is
// waiting: for sends as long as they make the step longer, else the bubble. Units: SI. Errors:
// none.
#pragma once

#include "estimate/workspace.h"

namespace orrery {

struct Run;
struct Simulation;

// `s` is complete except for its answer. `run` is the run as simulated; `workspace` may hold its
// prices.
Answer played_answer(const Run& run, Workspace& workspace, const Simulation& s);

}  // namespace orrery
