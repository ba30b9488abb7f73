// SPDX-License-Identifier: Apache-2.0
//
// The time of all micro batches, in the chain's numbers: the sweep where they are plain, and where
// they record themselves the sum over the critical path, which is the same number and says which
// stages and sends set it. Errors: none.
#pragma once

#include "core/number.h"
#include "estimate/forward.h"

namespace orrery {

template <Number R>
struct PipelineTime {
  SecondsOf<R> all{};   // with the workspace's sends
  SecondsOf<R> free{};  // with free ones
};

template <Number R>
PipelineTime<R> pipeline_time(const Run& run, WorkspaceOf<R>& w);

// All micro batches take no less, whatever their sends cost.
template <Number R>
Seconds pipeline_bound(const Run& run, const WorkspaceOf<R>& w);

}  // namespace orrery
