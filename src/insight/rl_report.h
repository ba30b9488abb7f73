// SPDX-License-Identifier: Apache-2.0
//
// A run of reinforcement learning with everything that is reported of it. Errors: none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "insight/run_report.h"
#include "insight/settings.h"
#include "rl/played_steps.h"
#include "rl/step.h"

namespace orrery {

// The part of a step that an alternative changes.
enum class RlChangeKind : std::uint8_t {
  engine,     // its layout, its share, its graphs
  placement,  // who works where
  split,      // how many GPUs generate
  learner,    // its micro batch, recompute or packing
  answers,    // cut earlier, or of older or newer weights: what is learned changes
};

// A step with other keys, played anew.
struct RlAlternative {
  std::vector<Setting> settings;
  Seconds step{};
  RlChangeKind kind = RlChangeKind::placement;
  std::string words{};  // "24 instead of 16 GPUs that generate"
  bool shortens_tail = false;
};

struct RlReport {
  RunReport learner;  // its update alone
  RlStep step;
  std::vector<RlAlternative> faster;  // that fit, the fastest first, where they were tried
  std::optional<StepSpread> spread;   // of steps with answers of their own, where they were played
};

RlReport rl_report_on(ResolvedRun resolved);

// The fastest of `faster` that changes nothing of what is learned; nullptr where none is.
const RlAlternative* first_of_same_learning(const RlReport& r);

// With other placements, splits of the GPUs, engines, caps and settings of the learner tried, one
// change at a time, ranked by gain. The learner's degrees stay (`orrery search` finds others).
RlReport rl_report_with_alternatives(const Json& run, const std::string& file,
                                     const ConfigLookup& lookup, const std::vector<Fact>& changes);

// The phase that holds the step, and what a cap or other placements would change: a line each.
std::vector<std::string> rl_advice(const RlReport& r);

}  // namespace orrery
