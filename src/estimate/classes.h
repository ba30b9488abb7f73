// SPDX-License-Identifier: Apache-2.0
//
// Prices the blocks and fills a workspace with what every virtual stage costs, once for each
// distinct stage.
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

// All chunks of one stage.
template <Number R>
ParametersHeld parameters_of_stage(const Run& run, const WorkspaceOf<R>& w, std::int64_t stage);

template <Number R>
StageMemory<R> memory_of_stage(const Run& run, WorkspaceOf<R>& w, std::int64_t stage);

// Whether stage i ≥ 1 has chunk for chunk the blocks of stage i − 1.
template <Number R>
bool has_blocks_of_the_one_before(const Run& run, const WorkspaceOf<R>& w, std::int64_t i) {
  const PipelineShape shape = pipeline_shape(run);
  const ChunkLayout layout = schedule_of(run).layout();
  const auto class_at = [&](std::int64_t stage, std::int64_t chunk) {
    return w.class_of[static_cast<std::size_t>(part_of(layout, shape, stage, chunk))];
  };
  for (std::int64_t c = 0; c < shape.chunks; ++c) {
    if (class_at(i, c) != class_at(i - 1, c)) return false;
  }
  return true;
}

template <Number R>
const StageClass<R>& class_of(const WorkspaceOf<R>& w, std::int64_t virtual_stage) {
  return w.classes[w.class_of[static_cast<std::size_t>(virtual_stage)]];
}

}  // namespace orrery
