// SPDX-License-Identifier: Apache-2.0
//
// The verbs of `calibrate` that need no GPU of their own; `measure` is the program's (cli).
#pragma once

#include "engine/answer.h"
#include "engine/calibration_machine.h"
#include "engine/hooks.h"

namespace orrery {

CalibrateChoice calibrate_choice(Request& request);

CommandAnswer answer_calibrate_check(const CalibrateChoice& a, const OutputForm& output,
                                     const CommandContext& context);

}  // namespace orrery
