// SPDX-License-Identifier: Apache-2.0
//
// The work of a stage after its micro batches: reducing gradients, gathering and updating weights;
// and the stage that finishes it last. A stage whose micro batches are done early begins it early.
//
// Needs the classes of a workspace (classes.h). Leaves out: traffic between stages (the shared
// embedding, copies of the model) and fixed costs. Units: SI; a step. Errors: none.
#pragma once

#include <cstdint>
#include <span>

#include "core/number.h"
#include "estimate/data_parallel.h"
#include "estimate/forward.h"

namespace orrery {

template <Number R>
OverlapWindows<R> windows_of(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage);

struct LastStage {
  std::int64_t stage = 0;
  Seconds done{};  // its micro batches
  Seconds time{};  // of that work
};

// `done`: when the micro batches of each stage are; empty if of all at once. Not always the stage
// with the most parameters, because experts are reduced over other ranks.
template <Number R>
LastStage last_stage_done(const Run& run, WorkspaceOf<R>& w, std::span<const Seconds> done);

// No order of the micro batches ends the step earlier. `pipeline`: no stage's micro batches take
// less than that all together (pipeline_bound).
Seconds least_end_of_step(const Run& run, Workspace& w, Seconds pipeline);

}  // namespace orrery
