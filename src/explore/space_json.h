// SPDX-License-Identifier: Apache-2.0
//
// What a run file and its `search` object ask for, as a space; and a strategy of it as run-file
// keys.
//
//   "search": {"axes": {"tp": [1, 2, 4, 8], "micro_batch": {"max": 4}, "recompute": "none"},
//              "constraints": ["memory.peak_gib <= 72", "tp * cp <= 8"],
//              "objective": {"minimize": "step_time_s * gpus"}, "top": 10, "tie": 0.05}
//
// A key that the run file gives in `parallel` or `training` fixes its axis; one in `search.axes` is
// a value, a list or bounds ({"min", "max"}, of the free values); neither leaves the axis free.
// `layers` in the list of recompute is full recompute of the first n layers of every chunk, for
// each n, or those of `recompute_layers`. Errors: InputError. `stage_layers` is refused: what it
// means changes with pp.
#pragma once

#include <string>

#include "core/json.h"
#include "estimate/open_run.h"
#include "explore/search.h"

namespace orrery {

struct SearchRequest {
  Space space;
  std::size_t top = 5;
  double tie = 0;  // 0: the interval's
  Conditions conditions;
};

// `search` is the object of that key, null where there is none.
SearchRequest read_search(const OpenRun& open, const Json& search, const MetricSource& metrics);

// The keys of `parallel` and `training` that make this strategy: {"parallel": {…}, "training":
// {…}}.
Json strategy_keys(const Space& space, const Strategy& s);

// A run file with a strategy written into it.
Json with_strategy(Json run, const Space& space, const Strategy& s);

}  // namespace orrery
