// SPDX-License-Identifier: Apache-2.0
//
// The outcome of one option of a plan in JSON: time, goodput, checkpoints, energy and cost.
#pragma once

#include "core/json_fwd.h"
#include "report/capacity.h"

namespace orrery {

// Adds "time", "goodput", "checkpoint", "energy" and "cost".
void add_outcome(const CapacityReport& r, const OptionAnswer& o, Json& j);

// A list of the bill of materials (report/capacity_words.h).
Json materials_json(const OptionAnswer& o);

// Memory of the fullest GPU, in the fullest phase of a step of reinforcement learning.
Json memory_json(const OptionAnswer& o);

// The step and the placement of a training by reinforcement learning.
Json rl_training_json(const OptionAnswer& o);

}  // namespace orrery
