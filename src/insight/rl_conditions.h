// SPDX-License-Identifier: Apache-2.0
//
// Conditions on a step of reinforcement learning in a search, as comparisons (core/expression.h).
//
// Paths: the numbers of a step (rl_numbers.h), the keys of placement and engine that a search
// varies (`placement.rollout_gpus`, `rollout.tp`), the learner's degrees and micro batch
// (`parallel.tp`, or `tp`), `cluster.gpus`, and with rents `cost`, that of one step. Switches are 0
// or 1. Errors: InputError: a name that is none of these, an expression that is no comparison, cost
// without a price.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explore/rl_search.h"

namespace orrery {

// All conditions must hold; an unset function where there is none. `file`: for errors.
AdmitsRlStep rl_conditions(const std::vector<std::string>& texts,
                           const std::optional<GpuRents>& rents, const std::string& file);

}  // namespace orrery
