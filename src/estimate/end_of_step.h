// SPDX-License-Identifier: Apache-2.0
//
// The work of a stage after its micro batches: reducing gradients, gathering and updating weights;
// and the stage that finishes it last.
//
// Needs the classes of a workspace (classes.h). Leaves out: traffic between stages (the shared
// embedding, copies of the model) and fixed costs. Units: SI; a step. Errors: none.
#pragma once

#include <cstdint>

#include "core/number.h"
#include "estimate/data_parallel.h"
#include "estimate/forward.h"

namespace orrery {

template <Number R>
OverlapWindows<R> windows_of(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage);

struct LastStage {
  std::int64_t stage = 0;
  Seconds time{};  // of that work
};

// Not always the stage with the most parameters, because experts are reduced over other ranks.
template <Number R>
LastStage last_stage_done(const Run& run, WorkspaceOf<R>& w);

}  // namespace orrery
