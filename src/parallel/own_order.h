// SPDX-License-Identifier: Apache-2.0
//
// A pipeline schedule from a file: the order of the user's own, checked.
//
//   {"layout": "looped",                        where chunks lie: "looped" (left out) or "v"
//    "stages": [["F0", "F1", "B0", "B1"],       one list a stage, its steps in order
//               ["F0", "B0", "F1", "B1"]]}
//
// A step is a letter, the chunk and a dot where stages have several, and the micro batch: F
// forward, B backward, or its halves I (gradient of the input) and W (gradients of the weights).
// PyTorch's schedules use the same letters. p, v and m are what the lists show. Two copies of the
// model and overlapped pairs have no words here. Checks: every micro batch passes every chunk once,
// forward before backward, I before W, and no stage waits for ever. Errors: InputError that names
// the step.
#pragma once

#include <string>

#include "core/json_fwd.h"
#include "parallel/schedules/schedule.h"

namespace orrery {

OwnOrder read_own_order(const Json& json, const std::string& file);

}  // namespace orrery
