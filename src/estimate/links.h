// SPDX-License-Identifier: Apache-2.0
//
// The chain in pieces, for who keeps prices and classes from one run to the next (explore).
//
// All need what fill_classes() or fill_costs() (classes.h) left in the workspace for this run, but
// for memory_answer(), which needs no more than fill_parts().
#pragma once

#include "estimate/workspace.h"

namespace orrery {

// The last link alone: what estimate() answers.
Answer finish(const Run& run, Workspace& workspace);

// Of it only what says whether the run fits: reason, memory, capacity, host memory.
Answer memory_answer(const Run& run, Workspace& workspace);

// What is known without a sweep: the memory, as memory_answer() gave it, `share` of a lower bound
// on the step (it takes no less, but for rounding) with its interval, and the model's FLOPs. The
// rest is 0.
Answer least_answer(const Run& run, Workspace& workspace, const Answer& memory, double share);

}  // namespace orrery
