// SPDX-License-Identifier: Apache-2.0
//
// Estimates of many runs, one after another, in scratch memory that the caller keeps
// (estimate/workspace.h). The answers are those of estimate(). Errors: none; runs are legal.
#pragma once

#include "estimate/answer.h"
#include "estimate/forward.h"

namespace orrery {

Answer estimate_in(Workspace& workspace, const Run& run);

// Only reason, memory, capacity and host memory; the rest is 0, and no time is asked for.
Answer memory_in(Workspace& workspace, const Run& run);

}  // namespace orrery
