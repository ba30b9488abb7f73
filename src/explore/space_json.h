// SPDX-License-Identifier: Apache-2.0
//
// The space of a run file and its `search` object; and a strategy of it as run-file keys.
//
//   "search": {"axes": {"tp": [1, 2, 4, 8], "micro_batch": {"max": 4}, "recompute": "none",
//                       "offload": "free", "precision": ["bf16", "fp8"]},
//              "constraints": ["memory.peak_gib <= 72", "tp * cp <= 8"],
//              "objective": {"minimize": "cost"}, "price": {"gpu_hour": 2.5},
//              "pareto": ["step_time_s", "memory.peak_gib", {"maximize": "mfu"}],
//              "top": 10, "tie": 0.05}
//
// A key that the run file gives in `parallel` or `training` fixes its axis; one in `search.axes` is
// a value, a list, bounds ({"min", "max"}, of the free values) or "free"; without either the
// axis is free, or unchanged if axes.h says so. `layers` in the list of recompute is full recompute
// of the first n layers of every chunk, for each n, or those of `recompute_layers`. `partition`
// replaces ZeRO and its group. Keys of the run file are outer axes (outer_axes.h). Errors:
// InputError.
#pragma once

#include <string>

#include "core/json.h"
#include "explore/search_request.h"

namespace orrery {

// A run file and its `search` (null where there is none), apart.
struct SearchQuestion {
  Json run;
  Json search;
};

SearchQuestion taken_apart(const Json& run_file);

// `run` is a run file without its `search`, which is null where there is none.
SearchRequest read_search(const Json& run, const std::string& file, const ConfigLookup& lookup,
                          const Json& search, const MetricSource& metrics);

// The space of one base: axes as the run gives them, else free; within what its framework has.
Space space_around(const OpenRun& open);

// The keys of `parallel` and `training` that make this strategy: {"parallel": {…}, "training":
// {…}}.
Json strategy_keys(const Space& space, const Strategy& s);

// The run file with one choice on the outer axes and a strategy written into it.
Json with_strategy(Json run, const Space& space, std::size_t base, const Strategy& s);

}  // namespace orrery
