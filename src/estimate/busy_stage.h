// SPDX-License-Identifier: Apache-2.0
//
// The compute time of a pipeline stage in a step: its chunks' passes over all micro batches, minus
// the gain of overlapped pairs of passes.
//
// Leaves out: waiting, sends, the end of the step. Needs the classes of a workspace (classes.h) and
// the gain of pairs (WorkspaceOf::hidden). Units: SI; a step. Errors: none.
#pragma once

#include <cstdint>

#include "core/number.h"
#include "estimate/forward.h"

namespace orrery {

bool has_pairs(const Run& run);

// Gain of the pairs of a stage over their two halves alone.
template <Number R>
SecondsOf<R> hidden_by_pairs(const Run& run, WorkspaceOf<R>& w, std::int64_t stage);

// The `n` micro batches that pass through a chunk.
template <Number R>
R micro_batches_of_step(std::int64_t n) {
  return count<R>(n, {"micro batches of a step"});
}

template <Number R>
SecondsOf<R> busy_time(const Run& run, WorkspaceOf<R>& w, std::int64_t stage,
                       std::int64_t micro_batches);

// The first of the stages with the most busy time.
template <Number R>
std::int64_t busiest_stage(const Run& run, WorkspaceOf<R>& w, std::int64_t micro_batches);

}  // namespace orrery
