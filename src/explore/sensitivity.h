// SPDX-License-Identifier: Apache-2.0
//
// How the step of a strategy moves with what it runs on: elasticities, d ln step / d ln x, by a
// central difference of 1 % each way. −0.6: one percent more makes the step 0.6 % shorter.
//
// Of the strategy as it is: whether another one would then be faster only a new search says. Memory
// moves no step; of it the room that is left. Leaves out what a run does not use (an elasticity
// below a thousandth). Units: ratios. Errors: none.
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

}  // namespace orrery
