// SPDX-License-Identifier: Apache-2.0
//
// What a stage is left with when its micro batches are done: gradients to reduce, weights to gather
// and update; and which stage is done with it last.
//
// Needs the classes of a workspace (classes.h). Leaves out: what crosses between stages (the shared
// embedding, copies of the model) and fixed costs. Units: SI; a step. Errors: none.
#pragma once

#include <cstdint>

#include "core/number.h"
#include "estimate/data_parallel.h"
#include "estimate/forward.h"

namespace orrery {

template <Number R>
OverlapWindows<R> windows_of(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage);

template <Number R>
Seconds end_of_step(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage);

// Not always the stage with most parameters, as experts are reduced over other ranks than the rest.
template <Number R>
std::int64_t last_stage_done(const Run& run, const WorkspaceOf<R>& w);

}  // namespace orrery
