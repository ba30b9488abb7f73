// SPDX-License-Identifier: Apache-2.0
//
// The inner axes of `search.axes` (axes.h), and the axes that a run file fixes. Errors: InputError.
#pragma once

#include "core/json_reader.h"
#include "estimate/open_run.h"
#include "explore/space.h"

namespace orrery {

// The axes a run file fixes.
void fix_what_is_given(const OpenRun& open, Space& space);

// After fix_what_is_given().
void read_axes(Reader axes, const OpenRun& open, Space& out);

// Free axes keep to what the framework can run (`runs` of its profile).
void limit_to_framework(const OpenRun& open, Space& space);

}  // namespace orrery
