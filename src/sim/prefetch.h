// SPDX-License-Identifier: Apache-2.0
//
// When the weights of every layer are fetched in a pass, where they are sharded and gathered in
// every micro batch (ZeRO-3, FSDP), and what of that the pass waits for.
//
// Layers compute in order. A layer's weights must be there before it begins; while it computes,
// those of up to `depth` layers after it may be on their way or there, and no more: at depth 0 they
// are fetched when the layer before is done. Gradients are reduced when their layer is done. All of
// it goes over one link, in the order in which it was asked for. A framework that does not overlap
// gathers (reductions) has compute wait for each. While a collective runs beside a kernel a share
// of that time is lost (cost/beside.h). A pass begins with nothing fetched and ends with all
// reduced. The closed form joins all of a layer by a norm instead (estimate/stage.h). Leaves out:
// streams of their own for gathers and reductions, fetches ahead of the pass. Units: seconds.
// Errors: none.
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

// Of one layer; times from the pass's beginning.
struct Fetch {
  std::int32_t layer = 0;  // of the pass, in the order they compute in
  bool gathers = true;     // else it reduces
  double begin = 0;
  double end = 0;
};

struct FetchedPass {
  double end = 0;
  std::vector<Fetch> fetches;  // in the order of the link
};

FetchedPass play_layers(const std::vector<LayerWork>& layers, const PrefetchRules& rules);

struct CellFetches {
  std::vector<Fetch> forward;
  std::vector<Fetch> backward;
};

// Puts into the passes of a plan what they wait for with this order; by cell, what is fetched when.
std::vector<CellFetches> fetch_in_order(const Run& run, const Workspace& w, std::int64_t depth,
                                        StepPlan& plan);

// Has memory count the layers that are there at once where they are more than estimate's two: at
// most, since experts and the rest are fetched together. A profile's own max_live_parameters stays.
void hold_fetched(Run& run, const Workspace& w, std::int64_t depth);

}  // namespace orrery
