// SPDX-License-Identifier: Apache-2.0
//
// The time of all micro batches, in the chain's numbers: the sweep where they are plain, and where
// they record themselves the sum over the critical path, which is the same number and says which
// stages and sends set it. Errors: none.
#pragma once

#include <cstdint>
#include <span>

#include "core/number.h"
#include "estimate/forward.h"
#include "estimate/pipeline.h"

namespace orrery {

template <Number R>
struct PipelineTime {
  SecondsOf<R> all{};   // with the workspace's sends
  SecondsOf<R> free{};  // with free ones
};

// True where stages go on to the next step without waiting for all others: the time is then that of
// a step in the long run.
bool takes_a_period(const Run& run);

// Until stage `until` is done.
template <Number R>
PipelineTime<R> pipeline_time(const Run& run, WorkspaceOf<R>& w, std::int64_t until = kLastOfAll);
// Each is a function of its own, in pipeline_time.cpp.
template <>
PipelineTime<double> pipeline_time(const Run& run, Workspace& w, std::int64_t until);
template <>
PipelineTime<Traced> pipeline_time(const Run& run, WorkspaceOf<Traced>& w, std::int64_t until);

// When each stage is done; empty where it takes a period.
template <Number R>
std::span<const Seconds> stages_done(const Run& run, WorkspaceOf<R>& w);

// All micro batches take no less, whatever their sends cost.
Seconds pipeline_bound(const Run& run, const Workspace& w);

// A stage is done no earlier, whatever its sends cost.
Seconds least_until_done(const Run& run, const Workspace& w, std::int64_t stage);

}  // namespace orrery
