// SPDX-License-Identifier: Apache-2.0
//
// Sensitivity of a strategy's step to the hardware: elasticities, d ln step / d ln x, by a central
// difference of 1 % each way. −0.6 means that one percent more makes the step 0.6 % shorter.
//
// The strategy stays; only a new search tells whether another one would then be faster. Memory
// capacity does not change a step; the free memory is given instead. Leaves out inputs without
// effect (an elasticity below a thousandth). Units: ratios. Errors: none.
#pragma once

#include <string_view>
#include <vector>

#include "estimate/estimate.h"

namespace orrery {

struct Elasticity {
  std::string_view key;   // as JSON names it
  std::string_view name;  // as a reader would
  double value = 0;
};

// The largest first.
std::vector<Elasticity> elasticities(const Run& run);

inline constexpr double kStackSpread = 1.23;  // e^stack_spread of configs/accuracy.json

// Hardware that is worse than stated in one of these inputs, by kStackSpread.
std::vector<Run> worse_hardware(const Run& run);

}  // namespace orrery
