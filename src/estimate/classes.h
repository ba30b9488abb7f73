// SPDX-License-Identifier: Apache-2.0
//
// Prices the blocks and fills a workspace with what every virtual stage costs, once for each
// distinct stage. Errors: none.
#pragma once

#include "estimate/run.h"
#include "estimate/workspace.h"

namespace orrery {

template <Number R>
void fill_classes(const Run& run, WorkspaceOf<R>& w);

// In two steps, if the blocks are priced already (price.h): first the memory of every part of the
// model before sharding and offload, then its costs.
template <Number R>
void fill_parts(const Run& run, WorkspaceOf<R>& w);
template <Number R>
void fill_costs(const Run& run, WorkspaceOf<R>& w);
// Or costs that no sharding and no place of the weights goes below.
void fill_least_costs(const Run& run, Workspace& w, const FreeSharding& free);

// All chunks of one stage.
template <Number R>
ParametersHeld parameters_of_stage(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage);

// Calls visit(stage) for the stages whose memory may be the fullest. In every closed-form schedule
// the first of several stages with equal blocks has the most micro batches in flight; stages with
// fewer have more receive buffers if these are separate.
template <Number R, class Visit>
void for_fullest(const Run& run, const WorkspaceOf<R>& w, Visit&& visit) {
  if (schedule_of(run).entry().written_out || run.framework.receives_apart) {
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

template <Number R>
const StageClass<R>& class_of(const WorkspaceOf<R>& w, std::int64_t virtual_stage) {
  return w.classes[w.class_of[static_cast<std::size_t>(virtual_stage)]];
}

}  // namespace orrery
