// SPDX-License-Identifier: Apache-2.0
//
// Prices the blocks and fills a workspace with what every virtual stage costs, once for each
// distinct stage. Errors: none.
#pragma once

#include "estimate/workspace.h"

namespace orrery {

struct Run;

template <Number R>
void fill_classes(const Run& run, WorkspaceOf<R>& w);

// In two steps, if the blocks are priced already (price.h): first the memory of every part of the
// model before sharding and offload, then its costs.
template <Number R>
void fill_parts(const Run& run, WorkspaceOf<R>& w);
template <Number R>
void fill_costs(const Run& run, WorkspaceOf<R>& w);
// Or a lower bound of the costs, for any sharding and any place of the weights.
void fill_least_costs(const Run& run, Workspace& w, const FreeSharding& free);

template <Number R>
const StageClass<R>& class_of(const WorkspaceOf<R>& w, std::int64_t virtual_stage) {
  return w.classes[w.class_of[static_cast<std::size_t>(virtual_stage)]];
}

// Gives a part of the model other blocks than the run's strategy does, and prices them; whatever
// was known of the contents of stages is forgotten. After fill_classes().
void set_part(const Run& run, std::int64_t part, const BlockCounts& blocks,
              const RecomputedBlocks& again, Workspace& w);

// True if a gradient goes back to a virtual stage: that or one before it has a backward pass.
template <Number R>
bool takes_gradient(const WorkspaceOf<R>& w, std::int64_t virtual_stage) {
  for (std::int64_t j = 0; j <= virtual_stage; ++j) {
    if (class_of<R>(w, j).runs_backward) return true;
  }
  return false;
}

}  // namespace orrery
