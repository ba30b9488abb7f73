// SPDX-License-Identifier: Apache-2.0
//
// `orrery calibrate measure`: the work of a GPU of this machine timed, and kept as it comes.
#pragma once

#include <string>

#include "cli/session.h"
#include "engine/calibration_machine.h"

namespace orrery {

// One line, exit code 3: a sound question, and no GPU here to answer it.
ExitCode no_device(const std::string& why_not, const Session& s);

ExitCode run_calibrate_measure(const CalibrateChoice& a, const Session& s);

}  // namespace orrery
