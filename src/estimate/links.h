// SPDX-License-Identifier: Apache-2.0
//
// The links of the chain, for callers that keep prices and classes from one run to the next
// (explore).
//
// All need the workspace after fill_classes() or fill_costs() (classes.h) for this run, except
// memory_answer(), which needs only fill_parts().
#pragma once

#include "estimate/workspace.h"

namespace orrery {

// The last link alone: the answer of estimate().
Answer finish(const Run& run, Workspace& workspace);

// Only the part that tells whether the run fits: reason, memory, capacity, host memory.
Answer memory_answer(const Run& run, Workspace& workspace);

// The part that is known without a sweep: the memory of memory_answer(), `share` of a lower bound
// on the step (exact up to rounding) with its interval, and the model's FLOPs. The rest is 0.
Answer least_answer(const Run& run, Workspace& workspace, const Answer& memory, double share);

}  // namespace orrery
