// SPDX-License-Identifier: Apache-2.0
//
// A run of reinforcement learning with everything that is reported of it. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "insight/run_report.h"
#include "insight/settings.h"
#include "rl/step.h"

namespace orrery {

// A step with other keys of placement, split or engine.
struct RlAlternative {
  std::vector<Setting> settings;
  Seconds step{};
};

struct RlReport {
  RunReport learner;  // its update alone
  RlStep step;
  std::vector<RlAlternative> faster;  // that fit, the fastest first, where they were tried
};

RlReport rl_report_on(ResolvedRun resolved);

// With other placements, splits of the GPUs and engines tried, one change at a time. The learner's
// own layout stays.
RlReport rl_report_with_alternatives(const Json& run, const std::string& file,
                                     const ConfigLookup& lookup, const std::vector<Fact>& changes);

// The phase that holds the step, and what a cap or other placements would change: a line each.
std::vector<std::string> rl_advice(const RlReport& r);

}  // namespace orrery
