// SPDX-License-Identifier: Apache-2.0
//
// The fastest step of reinforcement learning of a space (rl_space.h), or with rents the cheapest,
// exactly.
//
// The generator is played once a layout, its GPUs and its share; the learner is priced once a
// layout and its GPUs; a placement combines the two (rl/phase_times.h). Choices come fastest
// generator first, so that one whose generator alone, with the learner's phases, is no faster than
// what is known ends the list: those of one list have the same GPUs, so that the rent of a second
// is the same too. Learners whose update alone is longer are not swept at all. All memory is judged
// by phase; the learner's part must fit as surely as the run asks (estimate/risk.h). Equal aims go
// to the shorter step, to the smaller share of the fullest device, then to the earlier place.
//
// The answer lists the best of each layout of placement, split, engines and learner's degrees, so
// that it is not the same one many times. It does not depend on the order of work. Leaves out:
// the framework's switches, schedules. Errors: none.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "explore/rl_space.h"
#include "explore/search_options.h"
#include "parallel/rules.h"
#include "rl/phase_memory.h"
#include "rl/step.h"
#include "rl/step_cost.h"

namespace orrery {

struct RlFound {
  double aim = 0;  // the step in seconds, or with rents its cost in their currency
  Seconds step{};
  double fullest = 0;  // of a device, over all phases
  std::size_t choice = 0;
  std::size_t learners = 0;  // of RlSpace::learners
  std::size_t layout = 0;    // of them
  Unit unit;
  Point point;
  Strategy strategy;
};

struct RlSearchAnswer {
  std::int64_t placements = 0;  // choices × learner candidates
  std::int64_t learner_candidates = 0;
  std::array<std::int64_t, kRules + 1> rejected{};  // of them, by RuleId
  std::vector<RlFound> best;
  EnumArray<PlacementKind, std::optional<RlFound>> of_kind{};
  bool is_stopped = false;
};

// True of a step that fits and may be in the answer.
using AdmitsRlStep = std::function<bool(const RlRun&, const Strategy&, const RlStep&)>;

struct RlSearchAims {
  std::optional<GpuRents> rents;  // the cheapest step in place of the fastest
  AdmitsRlStep admits;            // unset: all
};

RlSearchAnswer rl_search(const RlSpace& space, const SearchOptions& options,
                         const RlSearchAims& aims = {});

// A placement fits where every phase does, the learner's part as surely as the run asks.
bool fits_surely(const Run& learner, const RlMemory& memory);

// The probability that every phase fits: that of the tightest. The engine takes the share that is
// set.
double fit_probability(const Run& learner, const RlMemory& memory);

// The run with it in.
Json with_found(const Json& run, const RlSpace& space, const RlFound& found);

}  // namespace orrery
