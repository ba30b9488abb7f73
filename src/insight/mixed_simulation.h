// SPDX-License-Identifier: Apache-2.0
//
// A run on several kinds of node with its step played. Errors: InputError for a step with too many
// passes.
#pragma once

#include "insight/mixed_report.h"
#include "sim/mixed_step.h"

namespace orrery {

struct PlayedMixed {
  MixedReport report;  // its answer is the closed form's
  MixedSimulation simulation;
};

PlayedMixed played_mixed(MixedReport report);

}  // namespace orrery
