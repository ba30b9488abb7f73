// SPDX-License-Identifier: Apache-2.0
//
// The contents of one stage of the pipeline, from the classes of its chunks: parameters,
// activations by the schedule, buffers of what it receives, blocks that the allocator keeps; and
// its memory. Leaves out: host memory and drives (offload.h). Errors: none.
#pragma once

#include "estimate/classes.h"
#include "estimate/run.h"

namespace orrery {

// All chunks of one stage.
template <Number R>
StageParameters parameters_of_stage(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage);

// Calls visit(stage) for the stages whose memory may be the fullest. In every closed-form schedule
// the first of several stages with equal blocks has the most micro batches in flight; stages with
// fewer have more receive buffers if these are separate.
template <Number R, class Visit>
void for_fullest(const Run& run, const WorkspaceOf<R>& w, Visit&& visit) {
  if (schedule_of(run).entry().written_out || run.framework.pipeline.receives_apart) {
    for (std::int64_t i = 0; i < run.strategy.pp; ++i) visit(i);
  } else {
    for (const std::int64_t i : w.distinct) visit(i);
  }
}

// After fill_parts(): what one stage holds, and its memory under the run's sharding and offload, or
// under those that `states` were made for.
template <Number R>
const StageContents<R>& contents_of_stage(const Run& run, WorkspaceOf<R>& w, std::int64_t stage);
template <Number R>
StageStates<R> states_of_stage(const Run& run, const StageContents<R>& contents);
template <Number R>
StageMemory<R> memory_of_stage(const Run& run, const StageContents<R>& contents,
                               const StageStates<R>& states);
template <Number R>
StageMemory<R> memory_of_stage(const Run& run, WorkspaceOf<R>& w, std::int64_t stage);

}  // namespace orrery
