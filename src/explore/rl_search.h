// SPDX-License-Identifier: Apache-2.0
//
// The fastest step of reinforcement learning of a space (rl_space.h), exactly.
//
// The generator is played once a layout, its GPUs and its share; the learner is priced once a
// layout and its GPUs; a placement combines the two (rl/phase_times.h). Choices come fastest
// generator first, so that one whose generator alone, with the learner's phases, is no faster than
// what is known ends the list. Learners whose update alone is longer are not swept at all. All
// memory is judged by phase; the learner's part must fit as surely as the run asks (estimate/
// risk.h). Ties go to the smaller share of the fullest device, then to the earlier place.
//
// The answer lists the best of each layout of placement, split, engines and learner's degrees, so
// that it is not the same one many times. It does not depend on the order of work. Leaves out:
// the framework's switches, schedules. Errors: none.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "explore/rl_space.h"
#include "explore/search_options.h"
#include "parallel/rules.h"
#include "rl/phase_memory.h"

namespace orrery {

struct RlFound {
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

RlSearchAnswer rl_search(const RlSpace& space, const SearchOptions& options);

// A placement fits where every phase does, the learner's part as surely as the run asks.
bool fits_surely(const Run& learner, const RlMemory& memory);

// The run with it in.
Json with_found(const Json& run, const RlSpace& space, const RlFound& found);

}  // namespace orrery
