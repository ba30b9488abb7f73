// SPDX-License-Identifier: Apache-2.0
//
// The inner axes of `search.axes` (axes.h), the axes that a run file fixes, and what a framework
// can run of them (`runs` of its profile). Errors: InputError.
#pragma once

#include <cstdint>
#include <vector>

#include "core/json_reader.h"
#include "estimate/open_run.h"
#include "explore/axes.h"

namespace orrery {

struct Space;

// The axes a run file fixes.
void fix_what_is_given(const OpenRun& open, Space& space);

// After fix_what_is_given().
void read_axes(Reader axes, const OpenRun& open, Space& out);

// The values that a framework can run; none: all.
struct FrameworkLimits {
  EnumArray<SearchAxis, std::vector<std::int64_t>> runnable;
  std::vector<std::int64_t> zero_with_pipeline;
};
FrameworkLimits framework_limits(const ResolvedRun& run);

// True where a change takes up a value that the framework lacks.
bool goes_beyond(const FrameworkLimits& limits, const Strategy& before, const Strategy& after);

// Free axes keep to what the framework can run.
void limit_to_framework(const OpenRun& open, Space& space);

}  // namespace orrery
