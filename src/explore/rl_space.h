// SPDX-License-Identifier: Apache-2.0
//
// The space of a search of a run with training.rl: generators with their placements, and layouts of
// the learner.
//
// A choice is a placement (colocated, split, async), a split of the GPUs, a layout of the engines
// and the shares that go with them. A learner is one set of tp, cp and pp on its GPUs, whose own
// space (explore/space.h) has ep, etp, ZeRO, micro batch and recompute; schedule and sequence
// parallelism stay as the run or its framework has them. Every learner on n GPUs goes with every
// choice that leaves it n GPUs: placements = Σ choices × learner candidates.
//
// Free values, where a key is not held:
//   placement.kind           colocated (not with a device of the generator's own), split, async
//   placement.rollout_gpus   every 1/32 of the GPUs or more, in whole engines
//   placement.staleness      1, 2
//   placement.offload_*      colocated: each on and off; offload_reference: both
//   rollout.tp, dp, ep       tp up to a node, dividing the heads; experts split, or apart over
//                            tp·dp up to eight nodes
//   rollout.memory_share     colocated: the run's, 0.3 to 0.9 by tenths; else the engine's
// Each rollout is played once, whatever the placement. Errors: InputError where nothing is legal.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_fwd.h"
#include "estimate/rl_run.h"
#include "explore/space.h"

namespace orrery {

struct ConfigLookup;

struct RlChoice {
  KeptJson keys;  // over the run: {"placement": {…}, "rollout": {…}}
  RlRun rl;
  std::size_t rollout = 0;  // of RlSpace::rollouts
  Seconds generate{};
};

// The learner's GPUs, its layouts, and the choices that leave it so many, fastest generator first
// within a placement.
struct RlLearners {
  std::int64_t gpus = 0;
  std::vector<Space> layouts;
  EnumArray<PlacementKind, std::vector<std::size_t>> choices;
};

struct RlSpace {
  std::vector<RlChoice> choices;
  std::vector<Rollout> rollouts;
  std::vector<RlLearners> learners;
  std::int64_t refused_engines = 0;  // layouts that break a rule
};

// The keys of placement and generator that a search varies, as listed above.
std::vector<std::string> rl_free_paths();

// Keys that stay as the run has them.
using HoldsKey = std::function<bool(std::string_view path)>;

// tp, cp and pp of the learner: those that its framework is known to run, or all.
enum class RlDegrees : std::uint8_t { of_framework, all };

// `run`: its free keys taken away.
RlSpace rl_space(const Json& run, const std::string& file, const ConfigLookup& lookup,
                 const HoldsKey& holds, RlDegrees degrees = RlDegrees::of_framework);

// The run with a choice and a layout of the learner in it.
Json with_choice(Json run, const RlChoice& choice);

}  // namespace orrery
