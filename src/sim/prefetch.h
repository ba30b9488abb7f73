// SPDX-License-Identifier: Apache-2.0
//
// When the weights of every layer are fetched in a pass if they are sharded and gathered in every
// micro batch (ZeRO-3, FSDP), and how long the pass waits for them.
//
// Layers compute in order. A layer begins when its weights have arrived; while it computes, the
// weights of at most `depth` later layers may be in flight or present. At depth 0 they are fetched
// after the layer before has finished. Gradients are reduced when their layer has finished. All of
// this uses one link, in the order of the requests. If the framework does not overlap gathers
// (reductions), compute waits for each. While a collective runs beside a kernel, a share of that
// time is lost (cost/beside.h). A pass begins with nothing fetched and ends with all reduced. The
// closed form combines all of a layer by a norm instead (estimate/stage.h). Leaves out: separate
// streams for gathers and reductions, fetches ahead of the pass. Units: seconds. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/plan.h"

namespace orrery {

struct LayerWork {
  Seconds compute{};
  Seconds gather{};
  Seconds reduce{};
};

struct PrefetchRules {
  std::int64_t depth = 1;
  bool gathers_beside = true;
  bool reduces_beside = true;
  double slowdown = 0;
};

// A gather or reduction of one layer; times from the pass's beginning.
struct Fetch {
  std::int32_t layer = 0;  // of the pass, in the order of computation
  bool gathers = true;     // false: it reduces
  Seconds begin{};
  Seconds end{};
};

struct FetchedPass {
  Seconds end{};
  std::vector<Fetch> fetches;  // in the order of the link
};

FetchedPass play_layers(const std::vector<LayerWork>& layers, const PrefetchRules& rules);

struct CellFetches {
  std::vector<Fetch> forward;
  std::vector<Fetch> backward;
};

// Puts the waits of this order into the passes of a plan. Returns the fetches of each cell.
std::vector<CellFetches> fetch_in_order(const Run& run, const Workspace& w, std::int64_t depth,
                                        StepPlan& plan);

// Makes memory count the layers that are present at once if they are more than estimate's two. This
// is an upper bound, since experts and the rest are fetched together. A profile's own
// max_live_parameters stays.
void hold_fetched(Run& run, const Workspace& w, std::int64_t depth);

}  // namespace orrery
