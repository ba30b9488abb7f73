// SPDX-License-Identifier: Apache-2.0
//
// `calibrate site`: the levels of a site from steps that were measured there (validate/site_fit.h).
//
// Files are logs of the run that `--run` names, or arrays of {"run", "step_time"} and of rows of a
// validation file. All runs must be of one device; a run's own `stack` or site is left aside, its
// calibration is kept. Errors: InputError.
#pragma once

#include "engine/answer.h"
#include "engine/calibration_machine.h"
#include "engine/hooks.h"
#include "validate/site_fit.h"

namespace orrery {

// The spread of sites: configs/site.json.
SitePrior site_prior(const ConfigSource& configs);

CommandAnswer answer_calibrate_site(const CalibrateChoice& choice, const std::string& file,
                                    const OutputForm& output, const CommandContext& context);

}  // namespace orrery
